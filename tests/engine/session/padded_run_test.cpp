// SPDX-License-Identifier: Apache-2.0
// Modules whose arrays are padded in a stage of their own give their numbers.
#include <gtest/gtest.h>

#include "engine/program/mlir/module_text.h"
#include "engine/session/hlo_run.h"

namespace shardscope::padded_run_test {
namespace {

// A function on a mesh y=4.
std::string function(const std::string& arguments, const std::string& results, const std::string& body) {
  return "module @m attributes {mhlo.num_partitions = 4 : i32} {\n  sdy.mesh @mesh = <[\"y\"=4]>\n"
         "  func.func public @main(" +
         arguments + ") -> (" + results + ") {\n" + body + "  }\n}\n";
}

void expect_right(const std::string& text) {
  const auto read = read_hlo_or_mlir(text, "m.mlir");
  ASSERT_TRUE(read.ok()) << read.error().text();
  ModuleRunOptions options;
  options.partition.partitioner = Partitioner::shardy;
  const auto ran = execute_module(read->program, options, {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  EXPECT_NE(stage_of(ran->stages, StageKind::padded), nullptr);
  EXPECT_TRUE(ran->run->numerics.checked);
  EXPECT_TRUE(ran->run->numerics.allclose) << ran->run->numerics.max_abs;
}

// Beyond the end zero is divided by zero, and nothing of that may be summed.
TEST(PaddedRun, SumsOverPaddedDimensions) {
  expect_right(function("%arg0: tensor<8x10xf32>, %arg1: tensor<10x6xf32>", "tensor<8x6xf32>, tensor<8xf32>",
                        R"(    %t = sdy.sharding_constraint %arg0 <@mesh, [{}, {"y"}]> : tensor<8x10xf32>
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %o = stablehlo.constant dense<10.0> : tensor<f32>
    %b = stablehlo.broadcast_in_dim %o, dims = [] : (tensor<f32>) -> tensor<8x10xf32>
    %i = stablehlo.iota dim = 1 : tensor<8x10xf32>
    %e = stablehlo.subtract %i, %b : tensor<8x10xf32>
    %q = stablehlo.divide %t, %e : tensor<8x10xf32>
    %0 = stablehlo.dot_general %q, %arg1, contracting_dims = [1] x [0] : (tensor<8x10xf32>, tensor<10x6xf32>) -> tensor<8x6xf32>
    %r = stablehlo.reduce(%q init: %c) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    return %0, %r : tensor<8x6xf32>, tensor<8xf32>
)"));
}

TEST(PaddedRun, RowsAndTransposesAndGathers) {
  expect_right(function("%arg0: tensor<10x12xf32>, %arg1: tensor<12x6xf32>", "tensor<6x10xf32>",
                        R"(    %a = sdy.sharding_constraint %arg0 <@mesh, [{"y"}, {}]> : tensor<10x12xf32>
    %0 = stablehlo.dot_general %a, %arg1, contracting_dims = [1] x [0] : (tensor<10x12xf32>, tensor<12x6xf32>) -> tensor<10x6xf32>
    %1 = stablehlo.tanh %0 : tensor<10x6xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<10x6xf32>) -> tensor<6x10xf32>
    %3 = stablehlo.iota dim = 1 : tensor<6x10xf32>
    %4 = stablehlo.add %2, %3 : tensor<6x10xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{}, {}]> : tensor<6x10xf32>
    return %5 : tensor<6x10xf32>
)"));
}

}  // namespace
}  // namespace shardscope::padded_run_test
