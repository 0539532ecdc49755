// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/mlir_lines.h"

#include <gtest/gtest.h>

namespace shardscope::mlir_lines_test {
namespace {

constexpr std::string_view kLine =
    "  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"d\"}, {}]>, jax.x "
    "= \"a, "
    "b\"}, %arg1: tensor<4x6xf32>, %f: (tensor<2xf32>) -> tensor<2xf32> {mhlo.sharding = \"{replicated}\"}) "
    "-> "
    "(tensor<8x4xf32> {jax.result_info = \"result\"}) {";

TEST(MlirLines, FindTheArgumentsOfAFunctionAndTheirShardings) {
  const auto all = mlir_arguments_on(kLine);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "arg0");
  EXPECT_EQ(all[1].name, "arg1");
  EXPECT_EQ(all[2].name, "f");
  EXPECT_FALSE(all[1].attributes);
  EXPECT_EQ(argument_sharding_on(kLine, "arg0"), "#sdy.sharding<@m, [{\"d\"}, {}]>");
  EXPECT_EQ(argument_sharding_on(kLine, "arg1"), std::nullopt);
  EXPECT_EQ(argument_sharding_on(kLine, "f"), "{replicated}");
  EXPECT_TRUE(mlir_arguments_on("  %0 = stablehlo.add %a, %b : tensor<8xf32>").empty());
  EXPECT_EQ(mlir_mesh_on("  sdy.mesh @m = <[\"d\"=2]>"), "m");
  EXPECT_EQ(mlir_mesh_on("module @m {"), std::nullopt);
}

TEST(MlirLines, WriteAShardingAndLeaveTheRest) {
  const std::string changed = with_argument_sharding(kLine, "arg0", "mhlo.sharding = \"{replicated}\"");
  EXPECT_EQ(argument_sharding_on(changed, "arg0"), "{replicated}");
  EXPECT_NE(changed.find("jax.x = \"a, b\""), std::string::npos);
  EXPECT_EQ(changed.find("[{\"d\"}, {}]"), std::string::npos);
  const std::string more =
      with_argument_sharding(kLine, "arg1", "sdy.sharding = #sdy.sharding<@m, [{}, {\"d\"}]>");
  EXPECT_EQ(argument_sharding_on(more, "arg1"), "#sdy.sharding<@m, [{}, {\"d\"}]>");
  EXPECT_EQ(with_argument_sharding(more, "arg1", ""), kLine);
  EXPECT_EQ(with_argument_sharding(kLine, "nowhere", "x"), kLine);
}

}  // namespace
}  // namespace shardscope::mlir_lines_test
