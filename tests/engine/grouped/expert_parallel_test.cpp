// SPDX-License-Identifier: Apache-2.0
// Experts over a mesh axis: together the shards make what one device makes, and imbalance is what it is.
#include "engine/grouped/expert_parallel.h"

#include <gtest/gtest.h>

#include "tests/engine/grouped/samples.h"

namespace shardscope::expert_parallel_test {
namespace {

const Workers kWorkers(2);

GroupedProblem problem_of(GroupedOp op, std::vector<int64_t> sizes, int64_t m) {
  GroupedProblem p;
  p.op = op;
  p.m = m;
  p.k = 5;
  p.n = 7;
  p.group_sizes = std::move(sizes);
  p.options.tiling = GmmTiling{4, 4, 4};
  return p;
}

TEST(ExpertParallel, ShardsTogetherMakeTheWholeResult) {
  const Mesh mesh = *Mesh::parse("data=2,expert=4");
  std::mt19937 random(2);
  for (GroupedOp op : {GroupedOp::gmm, GroupedOp::tgmm}) {
    for (int i = 0; i < 20; ++i) {
      const GroupedProblem p = problem_of(op, random_sizes(8, 32, random), 32);
      const auto experts = expert_parallel(p, mesh, "expert");
      ASSERT_TRUE(experts.ok()) << experts.error().text();
      const auto whole = run_grouped(p, {}, kWorkers, {});
      ASSERT_TRUE(whole.ok()) << whole.error().text();
      EXPECT_TRUE(whole->numerics.allclose);
      const auto joined = run_expert_parallel(p, *experts, whole->lhs, whole->rhs, kWorkers, {});
      ASSERT_TRUE(joined.ok()) << joined.error().text();
      EXPECT_TRUE(*joined == whole->result.out);
    }
  }
}

// Groups 8, 0, 2, 2 over two devices: 8 rows in 2 visits, 4 rows in 2 visits of which one tile is shared.
TEST(ExpertParallel, ImbalanceIsTheBusiestOverTheMean) {
  const auto experts = expert_parallel(problem_of(GroupedOp::gmm, {8, 0, 2, 2}, 12), *Mesh::parse("e=2"), "");
  ASSERT_TRUE(experts.ok());
  EXPECT_EQ(experts->axis, "e");
  EXPECT_EQ(experts->shards[0].metadata.rows(), 8);
  EXPECT_EQ(experts->shards[0].metadata.num_tiles, 2);
  EXPECT_EQ(experts->shards[1].metadata.rows(), 4);
  EXPECT_EQ(experts->shards[1].metadata.num_tiles, 2);
  EXPECT_DOUBLE_EQ(experts->row_imbalance, 8.0 / 6);
  EXPECT_DOUBLE_EQ(experts->visit_imbalance, 1);
  EXPECT_DOUBLE_EQ(*experts->efficiency, 12.0 / 16);
  EXPECT_EQ(experts->busiest, 0);
}

TEST(ExpertParallel, OtherAxesReplicate) {
  const Mesh mesh = *Mesh::parse("data=2,expert=2");
  const auto experts = expert_parallel(problem_of(GroupedOp::gmm, {4, 4}, 8), mesh, "expert");
  ASSERT_TRUE(experts.ok());
  EXPECT_EQ(experts->shards[1].devices, (std::vector{DeviceId(1), DeviceId(3)}));
}

TEST(ExpertParallel, RefusesWhatDoesNotDivideAndUnknownAxes) {
  const Mesh mesh = *Mesh::parse("e=3");
  const GroupedProblem p = problem_of(GroupedOp::gmm, {4, 4}, 8);
  EXPECT_EQ(expert_parallel(p, mesh, "").error().what,
            "expected groups that axis 'e' of size 3 divides, got 2");
  EXPECT_EQ(expert_parallel(p, mesh, "x").error().what, "no axis 'x' in the mesh e=3");
  GroupedProblem shard = p;
  shard.options.group_offset = 1;
  EXPECT_FALSE(expert_parallel(shard, *Mesh::parse("e=2"), "").ok());
}

}  // namespace
}  // namespace shardscope::expert_parallel_test
