// SPDX-License-Identifier: Apache-2.0
// Shardy's stage that makes arrays as large as their shardings divide, against jaxlib's
// sdy-pad-for-divisibility.
#include "engine/partition/shardy/padded.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/partition/entry/partition.h"
#include "engine/program/mlir/module_text.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::padded_test {
namespace {

Result<Partitioned> partitioned(const std::string& text) {
  TRY(const HloText read, read_hlo_or_mlir(text, "m.mlir"));
  PartitionOptions options;
  options.partitioner = Partitioner::shardy;
  return partition(read_stage(read.program), options);
}

// "pad f32[12,12]" of every instruction that is made along the way; scalars and copies that are no steps
// aside.
std::vector<std::string> lines_of(const StagePtr& stage) {
  const auto fitted = fitted_stage(stage, StageKind::padded);
  std::vector<std::string> out;
  for (const Instruction& i : fitted->program->entry_computation().instructions)
    if (i.shape.rank() > 0 && i.opcode != Opcode::parameter &&
        (i.opcode != Opcode::copy || fitted->steps.contains(i.name)))
      out.push_back(std::string(opcode_text(i.opcode)) + " " + i.shape.text_without_layout());
  return out;
}

constexpr const char* kUneven = R"(module @m attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<10x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {}]>}, %arg1: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y":(1)2}]>}) -> (tensor<10x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {}]>}) {
    %a = sdy.sharding_constraint %arg0 <@mesh, [{"y"}, {}]> : tensor<10x12xf32>
    %0 = stablehlo.dot_general %a, %arg1, contracting_dims = [1] x [0] : (tensor<10x12xf32>, tensor<12x6xf32>) -> tensor<10x6xf32>
    %1 = stablehlo.exponential %0 : tensor<10x6xf32>
    return %1 : tensor<10x6xf32>
  }
})";

TEST(PaddedStage, MakesArraysAsLargeAsShardyDoes) {
  const auto made = partitioned(kUneven);
  ASSERT_TRUE(made.ok()) << made.error().text();
  const StagePtr padded = stage_of(made->before, StageKind::padded);
  ASSERT_NE(padded, nullptr) << print_program(*made->before->program);
  EXPECT_EQ(lines_of(padded),
            (std::vector<std::string>{"pad f32[12,12]", "copy f32[12,12]", "copy f32[12,6]", "dot f32[12,6]",
                                      "exponential f32[12,6]", "copy f32[12,6]", "slice f32[10,6]"}))
      << print_program(*padded->program);
  EXPECT_FALSE(made->padding.empty());  // still said
  EXPECT_EQ(padded->before->kind, StageKind::collectives);
}

TEST(PaddedStage, IsNotThereWhereEveryShardingDivides) {
  std::string even = kUneven;
  for (size_t at = even.find("10x"); at != std::string::npos; at = even.find("10x", at))
    even.replace(at, 3, "8x");
  const auto made = partitioned(even);
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(stage_of(made->before, StageKind::padded), nullptr);
  for (const std::string& note : made->notes) EXPECT_EQ(note.find("padded"), std::string::npos) << note;
}

// What is beyond the end is masked on both sides of a sum and in every reduction.
TEST(PaddedStage, MasksWhatIsSummed) {
  const auto made = partitioned(R"(module @m attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["y"=4]>
  func.func public @main(%arg0: tensor<8x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg1: tensor<10x6xf32>) -> (tensor<8x6xf32>, tensor<8xf32>) {
    %t = sdy.sharding_constraint %arg0 <@mesh, [{}, {"y"}]> : tensor<8x10xf32>
    %0 = stablehlo.dot_general %t, %arg1, contracting_dims = [1] x [0] : (tensor<8x10xf32>, tensor<10x6xf32>) -> tensor<8x6xf32>
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %r = stablehlo.reduce(%t init: %c) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    return %0, %r : tensor<8x6xf32>, tensor<8xf32>
  }
})");
  ASSERT_TRUE(made.ok()) << made.error().text();
  const StagePtr padded = stage_of(made->before, StageKind::padded);
  ASSERT_NE(padded, nullptr);
  const std::vector<std::string> lines = lines_of(padded);
  EXPECT_EQ(std::ranges::count(lines, "select f32[8,12]"), 2) << print_program(*padded->program);
  EXPECT_EQ(std::ranges::count(lines, "select f32[12,6]"), 1);
}

// XLA's rules pad then, and a note says so.
TEST(PaddedStage, OfAnOperationWithoutARuleIsLeftOut) {
  const auto made = partitioned(R"(module @m attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["y"=4]>
  func.func public @main(%arg0: tensor<10x6xf32>) -> tensor<10x12xf32> {
    %t = sdy.sharding_constraint %arg0 <@mesh, [{"y"}, {}]> : tensor<10x6xf32>
    %r = stablehlo.concatenate %t, %t, dim = 1 : (tensor<10x6xf32>, tensor<10x6xf32>) -> tensor<10x12xf32>
    return %r : tensor<10x12xf32>
  }
})");
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(stage_of(made->before, StageKind::padded), nullptr);
  EXPECT_TRUE(std::ranges::any_of(made->notes, [](const std::string& note) {
    return note.find("padded by XLA's rules") != std::string::npos;
  }));
}

}  // namespace
}  // namespace shardscope::padded_test
