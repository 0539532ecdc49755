// SPDX-License-Identifier: Apache-2.0
// Our own CSV of points as a measured trace.
#include <gtest/gtest.h>

#include "tests/engine/measure/profile_files.h"

namespace shardscope::points_import_test {
namespace {

TEST(PointsImport, EachPointIsAnOperationAndTheSameOnesAreItsStatistics) {
  const std::string header = "id,source,chip,devices,topology,op,m,k,n,bytes,dtype,measured_us,note\n";
  const auto outcome = import_text(header +
                                   "a,s,h100,1,one device,matmul,128,256,512,,bf16,10,\n"
                                   "b,s,h100,1,one device,matmul,128,256,512,,bf16,14,\n"
                                   "c,s,h100,8,switch 8,all-reduce,,,,1048576,bf16,40,\n");
  ASSERT_TRUE(outcome.ok()) << outcome.error().text();
  EXPECT_EQ(outcome->format, "csv");
  EXPECT_EQ(outcome->devices, 8);
  const MeasuredOperation& product = operation_named(*outcome, "matmul");
  EXPECT_EQ(product.count, 2);
  EXPECT_DOUBLE_EQ(product.mean_s, 12e-6);
  EXPECT_EQ(product.m * product.k * product.n, 128 * 256 * 512);
  const MeasuredOperation& reduce = operation_named(*outcome, "all-reduce");
  EXPECT_EQ(reduce.opcode, "all-reduce");
  EXPECT_EQ(reduce.group, 8);
  EXPECT_EQ(reduce.bytes, 1048576);
}

}  // namespace
}  // namespace shardscope::points_import_test
