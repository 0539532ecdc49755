// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/collectives/algorithm_table.h"
#include "engine/collectives/permute.h"
#include "tests/engine/collectives/symbolic.h"

namespace shardscope::collectives_test {
namespace {

using Kind = CollectiveKind;
using Algorithm = CollectiveAlgorithm;

std::shared_ptr<const CollectiveSchedule> must_lower(Kind kind, Algorithm algorithm, int32_t ranks,
                                                     const GroupTopology& topology = {}, int64_t bytes = 0) {
  auto schedule = lower(kind, algorithm, ranks, topology, bytes);
  EXPECT_TRUE(schedule.ok()) << (schedule.ok() ? "" : schedule.error().text());
  return *schedule;
}

std::string refusal(Kind kind, Algorithm algorithm, int32_t ranks, const GroupTopology& topology = {}) {
  const auto schedule = lower(kind, algorithm, ranks, topology);
  return schedule.ok() ? "not refused" : schedule.error().text();
}

TEST(Collectives, TwoRanksUseOneLinkEachWay) {
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::bidirectional, Algorithm::bidirectional_whole}) {
    EXPECT_EQ(table(*must_lower(Kind::all_gather, algorithm, 2)), table("0>1:0 1>0:1")) << name(algorithm);
    EXPECT_EQ(table(*must_lower(Kind::all_gather, algorithm, 2, {.wraps = false})), table("0>1:0 1>0:1"));
  }
}

TEST(Collectives, ALineSendsBothWaysToItsEnds) {
  const GroupTopology line{.wraps = false};
  EXPECT_EQ(table(*must_lower(Kind::all_gather, Algorithm::ring, 3, line)),
            table("0>1:0 1>2:1 1>0:1 2>1:2 | 1>2:0 1>0:2"));
  EXPECT_EQ(table(*must_lower(Kind::reduce_scatter, Algorithm::ring, 3, line)),
            table("0>1:+2 2>1:+0 | 0>1:+1 1>0:+0 1>2:+2 2>1:+1"));
  EXPECT_EQ(table(*must_lower(Kind::all_to_all, Algorithm::ring, 3, line)),
            table("0>1:1,2 1>0:3 1>2:5 2>1:6,7 | 1>2:2 1>0:6"));
}

TEST(Collectives, AChainOnALineGoesBothWaysFromItsRoot) {
  // Rank 0 stands third of five: ranks 1, 2 above it, 4, 3 below.
  const GroupTopology line{.wraps = false, .first = 2};
  EXPECT_EQ(table(*must_lower(Kind::broadcast, Algorithm::chain, 5, line)),
            table("0>1:0 0>4:0 | 1>2:0 4>3:0"));
  EXPECT_EQ(table(*must_lower(Kind::reduce, Algorithm::chain, 5, line)),
            table("2>1:+0 3>4:+0 | 1>0:+0 4>0:+0"));
}

TEST(Collectives, AChainOnARingCarriesHalfEachWay) {
  EXPECT_EQ(table(*must_lower(Kind::broadcast, Algorithm::chain, 4)),
            table("0>1:0 0>3:1 | 1>2:0 3>2:1 | 2>3:0 2>1:1"));
  EXPECT_EQ(table(*must_lower(Kind::broadcast, Algorithm::chain, 4, {.all_pairs = true})),
            table("0>1:0 | 1>2:0 | 2>3:0"));
}

TEST(Collectives, PipelinesAreCutIntoSegmentsByBytes) {
  const GroupTopology all{.all_pairs = true};
  EXPECT_EQ(must_lower(Kind::broadcast, Algorithm::chain, 4, all, 1)->chunks(), 1);
  EXPECT_EQ(must_lower(Kind::broadcast, Algorithm::chain, 4, all, 3 * kSegmentBytes - 1)->chunks(), 3);
  EXPECT_EQ(must_lower(Kind::broadcast, Algorithm::chain, 4, all, int64_t{1} << 40)->chunks(), kMostSegments);
  EXPECT_EQ(must_lower(Kind::all_reduce, Algorithm::tree, 8, all, 8 * kSegmentBytes)->chunks(), 2 * 4);
}

TEST(Collectives, HalvingDoublingOnARingSendsSmallMessagesFar) {
  EXPECT_EQ(table(*must_lower(Kind::all_reduce, Algorithm::halving_doubling, 4)),
            table("0>1:+2,3 1>0:+0,1 2>3:+2,3 3>2:+0,1 | 0>2:+1 2>0:+0 1>3:+3 3>1:+2 | "
                  "0>2:0 2>0:1 1>3:2 3>1:3 | 0>1:0,1 1>0:2,3 2>3:0,1 3>2:2,3"));
}

TEST(Collectives, HierarchicalSumsInNodesThenAcrossThemAndBack) {
  const auto schedule =
      must_lower(Kind::all_reduce, Algorithm::hierarchical, 4, {.all_pairs = true, .node = 2});
  EXPECT_EQ(table(*schedule), table("0>1:+2,3 1>0:+0,1 2>3:+2,3 3>2:+0,1 | 0>2:+1 2>0:+0 1>3:+3 3>1:+2 | "
                                    "0>2:0 2>0:1 1>3:2 3>1:3 | 0>1:0,1 1>0:2,3 2>3:0,1 3>2:2,3"));
}

TEST(Collectives, DoubleTreesAreTheKnownOnes) {
  // Steps of a tree without segments: all of a depth send at once.
  EXPECT_EQ(table(*must_lower(Kind::all_reduce, Algorithm::tree, 8))[0],
            table("1>2:+0 3>2:+0 5>6:+0 7>6:+0 0>1:+1 2>1:+1 4>5:+1 6>5:+1")[0]);
  EXPECT_EQ(must_lower(Kind::all_reduce, Algorithm::tree, 8)->steps(), 6);
}

TEST(Collectives, RaggedRowsGoStraight) {
  const auto schedule = lower_ragged({1, 2, 0, 0, 3, 1, 4, 0, 0}, 3);
  ASSERT_TRUE(schedule.ok());
  EXPECT_EQ((*schedule)->chunks(), 11);
  EXPECT_EQ((*schedule)->steps(), 1);
  std::vector<Transfer> transfers;
  (*schedule)->append_step(0, transfers);
  // By source and distance: 0 keeps 1 and sends 2 to 1; 1 keeps 3 and sends 1 to 2; 2 sends 4 to 0.
  const std::vector<Transfer> expected = {
      {0, 0, 1, 1, 2, 0, false}, {0, 1, 2, 6, 1, 0, false}, {0, 2, 0, 7, 4, 0, false}};
  EXPECT_EQ(transfers, expected);
  EXPECT_EQ((*schedule)->home(0), 0);
  EXPECT_EQ((*schedule)->home(6), 1);
  EXPECT_EQ((*schedule)->home(10), 2);
  EXPECT_FALSE((*schedule)->rotation_symmetric());
  EXPECT_TRUE(lower_ragged({1, 2, 2, 1}, 2).value()->rotation_symmetric());
  EXPECT_EQ(lower_ragged({5, 0, 0, 5}, 2).value()->steps(), 0);
  EXPECT_EQ(lower_ragged({0, 0, 0, 0}, 2).value()->steps(), 0);
  EXPECT_FALSE(lower_ragged({0, -1, 0, 0}, 2).ok());
  EXPECT_FALSE(lower_ragged({0, int64_t{1} << 31, 0, 0}, 2).ok());
}

TEST(Collectives, AutomaticIsBidirectionalOnARingOfMoreThanTwo) {
  EXPECT_EQ(chosen_algorithm(Algorithm::automatic, 3, {.wraps = true}), Algorithm::bidirectional);
  EXPECT_EQ(chosen_algorithm(Algorithm::automatic, 2, {.wraps = true}), Algorithm::ring);
  EXPECT_EQ(chosen_algorithm(Algorithm::automatic, 8, {.wraps = false}), Algorithm::ring);
  EXPECT_EQ(chosen_algorithm(Algorithm::automatic, 8, {.all_pairs = true}), Algorithm::ring);
  EXPECT_EQ(chosen_algorithm(Algorithm::direct, 8, {}), Algorithm::direct);
}

TEST(Collectives, WordsAreReadBackAndSlipsAreCorrected) {
  for (int i = 0; i <= static_cast<int>(Algorithm::bidirectional_whole_oneside); ++i) {
    const auto algorithm = static_cast<Algorithm>(i);
    ASSERT_TRUE(parse_collective_algorithm(name(algorithm)).ok()) << name(algorithm);
    EXPECT_EQ(*parse_collective_algorithm(name(algorithm)), algorithm);
  }
  const auto slip = parse_collective_algorithm("bidirectonal");
  ASSERT_FALSE(slip.ok());
  EXPECT_EQ(slip.error().text(), "unknown collective algorithm 'bidirectonal'; did you mean bidirectional?");
}

TEST(Collectives, WhatIsNotLegalIsRefusedWithWhatIs) {
  EXPECT_EQ(
      refusal(Kind::broadcast, Algorithm::bruck, 8),
      "collective-broadcast does not go by bruck; collective-broadcast goes by auto, ring, bidirectional, "
      "direct, tree, binomial, chain");
  EXPECT_EQ(refusal(Kind::all_to_all, Algorithm::tree, 8, {.axes = {{2, true}, {4, true}}}),
            "all-to-all does not go by tree; all-to-all goes by auto, ring, bidirectional, doubling, "
            "direct, shift, torus, torus.bidirectional");
  EXPECT_EQ(
      refusal(Kind::all_gather, Algorithm::doubling, 6),
      "doubling needs a power of two of devices, got 6 devices on one axis; all-gather goes there by auto, "
      "ring, bidirectional, bidirectional.whole, bidirectional.whole_oneside, bruck, direct, shift");
  EXPECT_EQ(
      refusal(Kind::all_gather, Algorithm::torus, 6),
      "torus needs a group over two or more mesh axes, got 6 devices on one axis; all-gather goes there by "
      "auto, ring, bidirectional, bidirectional.whole, bidirectional.whole_oneside, bruck, direct, shift");
  EXPECT_EQ(refusal(Kind::all_reduce, Algorithm::hierarchical, 6, {.node = 4}).substr(0, 82),
            "hierarchical needs nodes of equal size or two mesh axes, got 6 devices in nodes of");
  EXPECT_EQ(refusal(Kind::all_gather, Algorithm::ring, 0), "a collective needs at least one device, got 0");
  EXPECT_EQ(refusal(Kind::all_to_all, Algorithm::direct, 20000),
            "an all-to-all of at most 16384 devices can be timed, got 20000");
}

std::shared_ptr<const CollectiveSchedule> permute(std::vector<SourceTarget> pairs, int32_t devices,
                                                  const std::vector<GroupAxis>& axes = {}) {
  return permute_schedule(std::make_shared<Permutation>(Permutation::make(std::move(pairs), devices).value()),
                          devices, axes);
}

TEST(AlgorithmTable, EveryRowGoesThroughEveryDoor) {
  const std::string help = legality_help();
  int32_t place = 0;
  for (const AlgorithmRow& row : collective_algorithms()) {
    EXPECT_EQ(static_cast<int32_t>(row.id), ++place);
    EXPECT_STREQ(name(row.id), row.word);
    EXPECT_EQ(parse_collective_algorithm(row.word).value(), row.id);
    EXPECT_NE(help.find(row.word), std::string::npos) << row.word;
    EXPECT_STRNE(row.does, "") << row.word;
    // Eight devices as a 2×4 have what any row needs.
    for (int kind = 0; kind < static_cast<int>(Kind::permute); ++kind) {
      const auto asked = static_cast<Kind>(kind);
      const auto lowered = lower(asked, row.id, 8, {.axes = {{2}, {4}}});
      EXPECT_EQ(lowered.ok(), row.is_for(asked)) << row.word << ' ' << name(asked);
    }
  }
  EXPECT_EQ(parse_collective_algorithm("auto").value(), Algorithm::automatic);
}

TEST(Collectives, APermutationIsOneStepOfItsPairs) {
  const auto swap =
      permute({{DeviceId(0), DeviceId(2)}, {DeviceId(1), DeviceId(1)}, {DeviceId(2), DeviceId(0)}}, 3);
  EXPECT_EQ(table(*swap), table("0>2:0 2>0:2"));
  EXPECT_FALSE(swap->rotation_symmetric());
  EXPECT_EQ(permute_schedule(std::make_shared<Permutation>(), 3)->steps(), 0);
}

TEST(Collectives, AShiftTurnsWithTheMesh) {
  const Mesh mesh = Mesh::parse("row=2,col=3").value();
  const std::vector<GroupAxis> axes = {{2, true}, {3, true}};
  for (const int axis : {0, 1}) {
    const auto shift = std::make_shared<Permutation>(Permutation::shift(mesh, axis, 1));
    EXPECT_TRUE(permute_schedule(shift, 6, axes)->rotation_symmetric());
    // Along the rows everything moves by three of six; along the columns one ring of six breaks.
    EXPECT_EQ(permute_schedule(shift, 6)->rotation_symmetric(), axis == 0);
  }
}

TEST(Collectives, AStepIsWhatItsRanksSend) {
  int compared = 0;
  for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                    CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
    for (const CollectiveAlgorithm algorithm : algorithms_for(kind)) {
      for (int32_t ranks = 2; ranks <= 9; ++ranks) {
        GroupTopology topology;
        topology.wraps = ranks % 3 != 0;
        const auto schedule = lower(kind, algorithm, ranks, topology, 1 << 20);
        if (!schedule.ok()) continue;
        for (int32_t step = 0; step < (*schedule)->steps(); ++step) {
          std::vector<Transfer> at_once, by_rank;
          (*schedule)->append_step(step, at_once);
          for (int32_t rank = 0; rank < ranks; ++rank) (*schedule)->append_from(step, rank, by_rank);
          EXPECT_EQ(at_once, by_rank) << name(kind) << " by " << name(algorithm) << " of " << ranks;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 300);
}

}  // namespace
}  // namespace shardscope::collectives_test
