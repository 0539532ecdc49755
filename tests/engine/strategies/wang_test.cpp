// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "tests/engine/strategies/planned.h"

namespace shardscope::wang_test {
namespace {

std::string variant(const std::string& mesh, const MatmulProblem& problem) {
  const auto program = testing::plan("wang.rs", testing::mesh_of(mesh), problem);
  EXPECT_TRUE(program.ok()) << program.error().text();
  if (!program.ok() || program->choices.empty()) return "";
  EXPECT_EQ(program->choices[0].first, "variant");
  return program->choices[0].second;
}

// A device sends (C-1)·K·M/p of X or ·M·N/p of Y: the larger one is overlapped.
TEST(WangRs, OverlapsTheLargerTraffic) {
  EXPECT_EQ(variant("row=2,col=4", {8192, 8192, 2048}), "wang.rs.isplit");  // 24576 > 2048
  EXPECT_EQ(variant("row=2,col=4", {3072, 512, 12288}), "wang.rs.osplit");  // 1536 < 12288
  EXPECT_EQ(variant("row=4,col=2", {64, 96, 32}), "wang.rs.isplit");        // 96 = 96
  EXPECT_EQ(variant("row=4,col=2", {64, 92, 32}), "wang.rs.osplit");        // 92 < 96
  EXPECT_EQ(variant("row=1,col=4", {64, 64, 64}), "wang.rs.isplit");
  EXPECT_EQ(variant("row=4,col=1", {64, 64, 64}), "wang.rs.osplit");
}

TEST(WangRs, IsTheVariantThatItPicks) {
  const Mesh mesh = testing::mesh_of("row=2,col=4");
  const MatmulProblem problem{64, 64, 64};
  const auto picked = testing::plan("wang.rs", mesh, problem);
  const auto named = testing::plan("wang.rs.isplit", mesh, problem);
  ASSERT_TRUE(picked.ok() && named.ok());
  EXPECT_EQ(picked->computations, named->computations);
  EXPECT_TRUE(named->choices.empty());
}

// C-1 steps, in each half a block of X either way: M/R rows of K/C/2 columns.
TEST(WangOs, AStepSendsHalfABlockEachWay) {
  const auto program = testing::plan("wang.os", testing::mesh_of("row=2,col=4"), {48, 80, 32});
  ASSERT_TRUE(program.ok());
  std::map<int, int> hops;
  for (const Instruction& i : program->entry_computation().instructions) {
    if (i.opcode != Opcode::collective_permute) continue;
    EXPECT_EQ(i.shape.dims, (std::vector<int64_t>{48 / 2, 80 / 4 / 2}));
    ++hops[i.provenance->step];
  }
  EXPECT_EQ(hops.size(), 3U);
  for (const auto& [step, count] : hops) EXPECT_EQ(count, 2) << step;
}

// Hops of one direction share one permutation, so a big mesh keeps one list of pairs.
TEST(WangOs, HopsShareTheirPermutation) {
  const auto program = testing::plan("wang.os", testing::mesh_of("row=2,col=8"), {64, 64, 64});
  ASSERT_TRUE(program.ok());
  std::set<const Permutation*> permutations;
  for (const Instruction& i : program->entry_computation().instructions) {
    if (i.permutation) permutations.insert(i.permutation.get());
  }
  EXPECT_EQ(testing::count(*program, Opcode::collective_permute), 14);
  EXPECT_EQ(permutations.size(), 2u);
}

// A hop reads the hop before it and nothing else, so it overlaps the products of its own step.
TEST(WangOs, HopsWaitForNoProduct) {
  const auto program = testing::plan("wang.os", testing::mesh_of("row=2,col=4"), {64, 64, 64});
  ASSERT_TRUE(program.ok());
  const Computation& entry = program->entry_computation();
  for (const Instruction& i : entry.instructions) {
    if (i.opcode != Opcode::collective_permute) continue;
    const Opcode source = entry.at(i.operands[0]).opcode;
    EXPECT_TRUE(source == Opcode::collective_permute || source == Opcode::slice) << i.name;
  }
}

}  // namespace
}  // namespace shardscope::wang_test
