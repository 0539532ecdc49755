// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/local_work.h"
#include "engine/strategies/looped.h"
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
            (Choices{{"slices", "8"}, {"block", "8"}, {"prefetch", "2"}}));
  // k/cols = 12, k/rows = 24: 6 slices of 2
  EXPECT_EQ(choices("meshslice.os", "row=2,col=4", {8, 48, 8}),
            (Choices{{"slices", "6"}, {"block", "2"}, {"prefetch", "2"}}));
  // k/cols = 7, k/rows = 7
  EXPECT_EQ(choices("meshslice.os", "row=2,col=2", {8, 14, 8}),
            (Choices{{"slices", "7"}, {"block", "1"}, {"prefetch", "2"}}));
  EXPECT_EQ(choices("meshslice.os", "row=2,col=2", {8, 22, 8}),
            (Choices{{"slices", "1"}, {"block", "1"}, {"prefetch", "1"}}));
}

TEST(Meshslice, FillsInOnlyWhatIsLeftOpen) {
  EXPECT_EQ(choices("meshslice.os", "row=2,col=4", {8, 48, 8}, 3),
            (Choices{{"slices", "3"}, {"block", "4"}, {"prefetch", "2"}}));
  EXPECT_EQ(choices("meshslice.os", "row=2,col=4", {8, 48, 8}, {}, 4),
            (Choices{{"slices", "3"}, {"block", "4"}, {"prefetch", "2"}}));
  EXPECT_EQ(choices("meshslice.ls", "row=2,col=4", {2048, 3072, 12288}, 16, 4),
            (Choices{{"slices", "16"}, {"block", "4"}, {"prefetch", "2"}}));
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

// The gather of slice k+2 waits for product k, that of k+1 for nothing.
TEST(Meshslice, GathersWaitForTheBuffersOfTheSliceTwoBefore) {
  StrategyOptions options;
  options.slices = 4;
  for (const int64_t prefetch : {1, 2, 3}) {
    options.prefetch = prefetch;
    const auto program =
        testing::plan("meshslice.os", testing::mesh_of("row=2,col=4"), {64, 64, 64}, options);
    ASSERT_TRUE(program.ok());
    for (const Instruction& i : program->entry_computation().instructions) {
      if (i.opcode != Opcode::all_gather) continue;
      const int of = i.provenance->step;
      ASSERT_EQ(i.control_predecessors.size(), of >= prefetch ? 1U : 0U) << of;
      if (of < prefetch) continue;
      const Instruction& done = program->entry_computation().at(i.control_predecessors[0]);
      EXPECT_EQ(done.provenance->step, of - prefetch);
    }
  }
  options.prefetch = 0;
  const auto none = testing::plan("meshslice.os", testing::mesh_of("row=2,col=4"), {64, 64, 64}, options);
  EXPECT_EQ(none.error().text(), "meshslice.os: prefetch must be positive, got 0");
}

// However many slices there are, a program that keeps its loops has a few of them and one loop.
TEST(Meshslice, ManySlicesAreALoop) {
  StrategyOptions options;
  options.block = 1;
  const Mesh mesh = testing::mesh_of("row=2,col=4");
  for (const char* id : {"meshslice.os", "meshslice.ls", "meshslice.rs"}) {
    std::vector<size_t> lengths;
    for (const int64_t slices : {64, 4096}) {
      options.slices = slices;
      const auto program = plan_looped(**find_strategy(id), mesh, {32768, 32768, 32768}, options, 48);
      ASSERT_TRUE(program.ok()) << program.error().text();
      lengths.push_back(program->entry_computation().instructions.size());
      ASSERT_EQ(testing::count(*program, Opcode::while_), 1);
      for (const Instruction& i : program->entry_computation().instructions)
        if (i.opcode == Opcode::while_) {
          EXPECT_EQ(known_trip_count(i), slices - (std::string_view(id).ends_with(".os") ? 2 : 3)) << id;
        }
    }
    EXPECT_EQ(lengths[0], lengths[1]) << id;
    options.slices = 32;
    const auto few = plan_looped(**find_strategy(id), mesh, {32768, 32768, 32768}, options, 48);
    EXPECT_EQ(*few, *testing::plan(id, mesh, {32768, 32768, 32768}, options)) << id;
  }
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
