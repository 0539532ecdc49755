// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/strategies/planned.h"

namespace shardscope::meshslice_test {
namespace {

using Choices = std::vector<std::pair<std::string, std::string>>;

Choices choices(std::string_view id, const std::string& mesh, const MatmulProblem& problem,
                std::optional<int64_t> slices = {}, std::optional<int64_t> block = {}) {
  StrategyOptions options;
  options.slices = slices;
  options.block = block;
  const auto program = testing::plan(id, testing::mesh_of(mesh), problem, options);
  EXPECT_TRUE(program.ok()) << program.error().text();
  return program.ok() ? program->choices : Choices();
}

TEST(Meshslice, TakesTheLargestLegalSlicesThenTheLargestLegalBlock) {
  // k/cols = 768, k/rows = 1536: both divisible by 64
  EXPECT_EQ(choices("meshslice.os", "row=2,col=4", {1024, 3072, 12288}),
            (Choices{{"slices", "8"}, {"block", "8"}}));
  // k/cols = 12, k/rows = 24: 6 slices of 2
  EXPECT_EQ(choices("meshslice.os", "row=2,col=4", {8, 48, 8}), (Choices{{"slices", "6"}, {"block", "2"}}));
  // k/cols = 7, k/rows = 7
  EXPECT_EQ(choices("meshslice.os", "row=2,col=2", {8, 14, 8}), (Choices{{"slices", "7"}, {"block", "1"}}));
  EXPECT_EQ(choices("meshslice.os", "row=2,col=2", {8, 22, 8}), (Choices{{"slices", "1"}, {"block", "1"}}));
}

TEST(Meshslice, FillsInOnlyWhatIsLeftOpen) {
  EXPECT_EQ(choices("meshslice.os", "row=2,col=4", {8, 48, 8}, 3),
            (Choices{{"slices", "3"}, {"block", "4"}}));
  EXPECT_EQ(choices("meshslice.os", "row=2,col=4", {8, 48, 8}, {}, 4),
            (Choices{{"slices", "3"}, {"block", "4"}}));
  EXPECT_EQ(choices("meshslice.ls", "row=2,col=4", {2048, 3072, 12288}, 16, 4),
            (Choices{{"slices", "16"}, {"block", "4"}}));
}

TEST(Meshslice, CutsEveryCollectiveIntoItsSlices) {
  StrategyOptions options;
  options.slices = 4;
  options.block = 2;
  const MatmulProblem problem{64, 64, 64};
  const Mesh mesh = testing::mesh_of("row=2,col=4");
  EXPECT_EQ(testing::count(*testing::plan("meshslice.os", mesh, problem, options), Opcode::all_gather), 8);
  EXPECT_EQ(testing::count(*testing::plan("meshslice.ls", mesh, problem, options), Opcode::all_gather), 4);
  EXPECT_EQ(testing::count(*testing::plan("meshslice.ls", mesh, problem, options), Opcode::reduce_scatter),
            4);
  EXPECT_EQ(testing::count(*testing::plan("meshslice.rs", mesh, problem, options), Opcode::dot), 4);
}

TEST(Meshslice, OneSliceCountsEverythingOnce) {
  StrategyOptions options;
  options.slices = 1;
  const auto program = testing::plan("meshslice.os", testing::mesh_of("row=2,col=4"), {64, 64, 64}, options);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(testing::count(*program, Opcode::dot), 1);
  EXPECT_EQ(testing::flops_per_device(*program), 2.0 * 64 * 64 * 64 / 8);
}

}  // namespace
}  // namespace shardscope::meshslice_test
