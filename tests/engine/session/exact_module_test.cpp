// SPDX-License-Identifier: Apache-2.0
// Modules in f64, where roundings hide nothing.
#include "engine/session/proof/exact_module.h"

#include <gtest/gtest.h>

#include "engine/program/text/hlo_text.h"

namespace shardscope::exact_module_test {
namespace {

TEST(ExactModule, HalvesOfAsynchronousOperationsAreDoneInF64AsTheOperationIs) {
  const auto program = parse_program(R"(HloModule m, num_partitions=4
add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
ENTRY e {
 x = f32[8,8] parameter(0)
 s = ((f32[8,8]), f32[2,8]) reduce-scatter-start(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, dimensions={0}, to_apply=add
 ROOT d = f32[2,8] reduce-scatter-done(s)
})");
  ASSERT_TRUE(program.ok()) << program.error().text();
  const Program exact = exact_program(*program);
  const Computation& entry = exact.computation(exact.entry);
  ASSERT_EQ(entry.instructions.size(), 3U);
  EXPECT_EQ(entry.instructions[1].shape.text(), "((f64[8,8]), f64[2,8])");
  EXPECT_EQ(entry.root_instruction().shape.text(), "f64[2,8]");
}

}  // namespace
}  // namespace shardscope::exact_module_test
