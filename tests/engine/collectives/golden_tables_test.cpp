// SPDX-License-Identifier: Apache-2.0
// Known tables of collectives on four ranks, transfer by transfer, with what each rank sends and what the
// most loaded link of a ring carries, in units of the whole array.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "engine/collectives/link_load.h"
#include "engine/collectives/ring.h"
#include "tests/engine/collectives/symbolic.h"

namespace shardscope::golden_tables_test {
namespace {

using Kind = CollectiveKind;
using Algorithm = CollectiveAlgorithm;
using Schedule = std::shared_ptr<const CollectiveSchedule>;

const GroupTopology kSwitch{.wraps = false, .all_pairs = true};
const GroupTopology kTwoByTwo{.axes = {{2, true}, {2, true}}};

Schedule lowered(Kind kind, Algorithm algorithm, const GroupTopology& topology = {}, int64_t bytes = 0) {
  return lower(kind, algorithm, 4, topology, bytes).value();
}

struct Golden {
  std::string name;
  Schedule schedule;
  double most_sent;                    // by one rank
  std::vector<double> most_sent_step;  // by one rank, step by step
  double link;                         // sum over steps of the most loaded link of a ring of four
  std::string table;
};

std::vector<Golden> goldens() {
  return {
      {"ring_all_gather_up",
       lowered(Kind::all_gather, Algorithm::ring),
       0.75,
       {0.25, 0.25, 0.25},
       0.75,
       "0>1:0 1>2:1 2>3:2 3>0:3 | 0>1:3 1>2:0 2>3:1 3>0:2 | 0>1:2 1>2:3 2>3:0 3>0:1"},
      {"ring_all_gather_down",
       std::make_shared<RingSchedule>(Kind::all_gather, RingForm::one_way_down, 4),
       0.75,
       {0.25, 0.25, 0.25},
       0.75,
       "0>3:0 1>0:1 2>1:2 3>2:3 | 0>3:1 1>0:2 2>1:3 3>2:0 | 0>3:2 1>0:3 2>1:0 3>2:1"},
      {"bidirectional_all_gather_half_chunks",
       lowered(Kind::all_gather, Algorithm::bidirectional),
       0.75,
       {0.25, 0.25, 0.25},
       0.375,
       "0>1:0 1>2:2 2>3:4 3>0:6 0>3:1 1>0:3 2>1:5 3>2:7 | 0>1:6 1>2:0 2>3:2 3>0:4 0>3:3 1>0:5 2>1:7 "
       "3>2:1 | 0>1:4 1>2:6 2>3:0 3>0:2 0>3:5 1>0:7 2>1:1 3>2:3"},
      {"bidirectional_all_gather_full_chunks",
       lowered(Kind::all_gather, Algorithm::bidirectional_whole),
       0.75,
       {0.5, 0.25},
       0.375,
       "0>1:0,1 1>2:2,3 2>3:4,5 3>0:6,7 0>3:0,1 1>0:2,3 2>1:4,5 3>2:6,7 | 0>1:6 1>2:0 2>3:2 3>0:4 "
       "0>3:3 1>0:5 2>1:7 3>2:1"},
      {"bruck_all_gather",
       lowered(Kind::all_gather, Algorithm::bruck),
       0.75,
       {0.25, 0.5},
       1.25,
       "0>3:0 1>0:1 2>1:2 3>2:3 | 0>2:0,1 1>3:1,2 2>0:2,3 3>1:3,0"},
      {"direct_all_gather",
       lowered(Kind::all_gather, Algorithm::direct),
       0.75,
       {0.75},
       0.75,
       "0>1:0 0>2:0 0>3:0 1>0:1 1>2:1 1>3:1 2>0:2 2>1:2 2>3:2 3>0:3 3>1:3 3>2:3"},
      {"shift_all_gather",
       lowered(Kind::all_gather, Algorithm::shift),
       0.75,
       {0.25, 0.25, 0.25},
       1,
       "0>1:0 1>2:1 2>3:2 3>0:3 | 0>2:0 1>3:1 2>0:2 3>1:3 | 0>3:0 1>0:1 2>1:2 3>2:3"},
      {"ring_reduce_scatter_up",
       lowered(Kind::reduce_scatter, Algorithm::ring),
       0.75,
       {0.25, 0.25, 0.25},
       0.75,
       "0>1:+3 1>2:+0 2>3:+1 3>0:+2 | 0>1:+2 1>2:+3 2>3:+0 3>0:+1 | 0>1:+1 1>2:+2 2>3:+3 3>0:+0"},
      {"bidirectional_reduce_scatter_half_chunks",
       lowered(Kind::reduce_scatter, Algorithm::bidirectional),
       0.75,
       {0.25, 0.25, 0.25},
       0.375,
       "0>1:+6 1>2:+0 2>3:+2 3>0:+4 0>3:+3 1>0:+5 2>1:+7 3>2:+1 | 0>1:+4 1>2:+6 2>3:+0 3>0:+2 0>3:+5 "
       "1>0:+7 2>1:+1 3>2:+3 | 0>1:+2 1>2:+4 2>3:+6 3>0:+0 0>3:+7 1>0:+1 2>1:+3 3>2:+5"},
      {"direct_reduce_scatter",
       lowered(Kind::reduce_scatter, Algorithm::direct),
       0.75,
       {0.75},
       0.75,
       "0>1:+1 0>2:+2 0>3:+3 1>0:+0 1>2:+2 1>3:+3 2>0:+0 2>1:+1 2>3:+3 3>0:+0 3>1:+1 3>2:+2"},
      {"shift_reduce_scatter",
       lowered(Kind::reduce_scatter, Algorithm::shift),
       0.75,
       {0.25, 0.25, 0.25},
       1,
       "0>1:+1 1>2:+2 2>3:+3 3>0:+0 | 0>2:+2 1>3:+3 2>0:+0 3>1:+1 | 0>3:+3 1>0:+0 2>1:+1 3>2:+2"},
      {"ring_all_reduce",
       lowered(Kind::all_reduce, Algorithm::ring),
       1.5,
       {0.25, 0.25, 0.25, 0.25, 0.25, 0.25},
       1.5,
       "0>1:+3 1>2:+0 2>3:+1 3>0:+2 | 0>1:+2 1>2:+3 2>3:+0 3>0:+1 | 0>1:+1 1>2:+2 2>3:+3 3>0:+0 | "
       "0>1:0 1>2:1 2>3:2 3>0:3 | 0>1:3 1>2:0 2>3:1 3>0:2 | 0>1:2 1>2:3 2>3:0 3>0:1"},
      {"bidirectional_ring_all_reduce",
       lowered(Kind::all_reduce, Algorithm::bidirectional),
       1.5,
       {0.25, 0.25, 0.25, 0.25, 0.25, 0.25},
       0.75,
       "0>1:+6 1>2:+0 2>3:+2 3>0:+4 0>3:+3 1>0:+5 2>1:+7 3>2:+1 | 0>1:+4 1>2:+6 2>3:+0 3>0:+2 0>3:+5 "
       "1>0:+7 2>1:+1 3>2:+3 | 0>1:+2 1>2:+4 2>3:+6 3>0:+0 0>3:+7 1>0:+1 2>1:+3 3>2:+5 | 0>1:0 1>2:2 "
       "2>3:4 3>0:6 0>3:1 1>0:3 2>1:5 3>2:7 | 0>1:6 1>2:0 2>3:2 3>0:4 0>3:3 1>0:5 2>1:7 3>2:1 | "
       "0>1:4 1>2:6 2>3:0 3>0:2 0>3:5 1>0:7 2>1:1 3>2:3"},
      {"direct_all_reduce",
       lowered(Kind::all_reduce, Algorithm::direct),
       1.5,
       {0.75, 0.75},
       1.5,
       "0>1:+1 0>2:+2 0>3:+3 1>0:+0 1>2:+2 1>3:+3 2>0:+0 2>1:+1 2>3:+3 3>0:+0 3>1:+1 3>2:+2 | 0>1:0 "
       "0>2:0 0>3:0 1>0:1 1>2:1 1>3:1 2>0:2 2>1:2 2>3:2 3>0:3 3>1:3 3>2:3"},
      {"double_binary_tree_all_reduce",
       lowered(Kind::all_reduce, Algorithm::tree),
       2,
       {0.5, 0.5, 0.5, 1},
       3,
       "1>2:+0 3>2:+0 0>1:+1 2>1:+1 | 2>0:+0 1>3:+1 | 0>2:0 3>1:1 | 2>1:0 2>3:0 1>0:1 1>2:1"},
      {"binomial_broadcast",
       lowered(Kind::broadcast, Algorithm::binomial),
       2,
       {1, 1},
       3,
       "0>1:0 | 0>2:0 1>3:0"},
      {"pipelined_ring_broadcast",
       lowered(Kind::broadcast, Algorithm::ring, {}, 4 * kSegmentBytes),
       1,
       {0.25, 0.25, 0.25, 0.25, 0.25, 0.25},
       1.5,
       "0>1:0 | 0>1:1 1>2:0 | 0>1:2 1>2:1 2>3:0 | 0>1:3 1>2:2 2>3:1 | 1>2:3 2>3:2 | 2>3:3"},
      {"binomial_reduce", lowered(Kind::reduce, Algorithm::binomial), 1, {1, 1}, 2, "1>0:+0 3>2:+0 | 2>0:+0"},
      {"all_to_all_shift",
       lowered(Kind::all_to_all, Algorithm::shift),
       0.1875,
       {0.0625, 0.0625, 0.0625},
       0.25,
       "0>1:1 1>2:6 2>3:11 3>0:12 | 0>2:2 1>3:7 2>0:8 3>1:13 | 0>3:3 1>0:4 2>1:9 3>2:14"},
      {"all_to_all_direct",
       lowered(Kind::all_to_all, Algorithm::direct),
       0.1875,
       {0.1875},
       0.1875,
       "0>1:1 0>2:2 0>3:3 1>0:4 1>2:6 1>3:7 2>0:8 2>1:9 2>3:11 3>0:12 3>1:13 3>2:14"},
      {"all_to_all_ring_store_forward",
       lowered(Kind::all_to_all, Algorithm::ring),
       0.375,
       {0.1875, 0.125, 0.0625},
       0.375,
       "0>1:1,2,3 1>2:6,7,4 2>3:11,8,9 3>0:12,13,14 | 0>1:13,14 1>2:2,3 2>3:7,4 3>0:8,9 | 0>1:9 "
       "1>2:14 2>3:3 3>0:4"},
      {"all_to_all_torus_two_by_two",
       lowered(Kind::all_to_all, Algorithm::torus, kTwoByTwo),
       0.25,
       {0.125, 0.125},
       0.375,
       "0>1:1,3 1>0:4,6 2>3:11,9 3>2:14,12 | 0>2:2,6 1>3:3,7 2>0:8,12 3>1:9,13"},
      {"all_to_all_torus_two_by_two_both_axes_at_once",
       lowered(Kind::all_to_all, Algorithm::torus_bidirectional, kTwoByTwo),
       0.25,
       {0.125, 0.125},
       0.375,
       "0>1:1,3 1>0:4,6 2>3:11,9 3>2:14,12 0>2:2,3 1>3:7,6 2>0:8,9 3>1:13,12 | "
       "0>2:2,6 1>3:3,7 2>0:8,12 3>1:9,13 0>1:1,9 1>0:4,12 2>3:3,11 3>2:6,14"},
      {"recursive_doubling_all_gather",
       lowered(Kind::all_gather, Algorithm::doubling),
       0.75,
       {0.25, 0.5},
       1.25,
       "0>1:0 1>0:1 2>3:2 3>2:3 | 0>2:0,1 1>3:0,1 2>0:2,3 3>1:2,3"},
      {"recursive_halving_reduce_scatter",
       lowered(Kind::reduce_scatter, Algorithm::doubling),
       0.75,
       {0.5, 0.25},
       1.25,
       "0>2:+2,3 1>3:+2,3 2>0:+0,1 3>1:+0,1 | 0>1:+1 1>0:+0 2>3:+3 3>2:+2"},
      {"rabenseifner_all_reduce",
       lowered(Kind::all_reduce, Algorithm::halving_doubling, kSwitch),
       1.5,
       {0.5, 0.25, 0.25, 0.5},
       2.5,
       "0>2:+2,3 1>3:+2,3 2>0:+0,1 3>1:+0,1 | 0>1:+1 1>0:+0 2>3:+3 3>2:+2 | 0>1:0 1>0:1 2>3:2 3>2:3 "
       "| 0>2:0,1 1>3:0,1 2>0:2,3 3>1:2,3"},
      {"recursive_doubling_all_reduce",
       lowered(Kind::all_reduce, Algorithm::doubling),
       2,
       {1, 1},
       3,
       "0>1:+0,1,2,3 1>0:+0,1,2,3 2>3:+0,1,2,3 3>2:+0,1,2,3 | 0>2:+0,1,2,3 1>3:+0,1,2,3 2>0:+0,1,2,3 "
       "3>1:+0,1,2,3"},
      {"all_to_all_xor",
       lowered(Kind::all_to_all, Algorithm::doubling),
       0.1875,
       {0.0625, 0.0625, 0.0625},
       0.25,
       "0>1:1 1>0:4 2>3:11 3>2:14 | 0>2:2 1>3:7 2>0:8 3>1:13 | 0>3:3 1>2:6 2>1:9 3>0:12"},
      {"torus2d_all_gather",
       lowered(Kind::all_gather, Algorithm::torus, kTwoByTwo),
       0.75,
       {0.25, 0.5},
       1.25,
       "0>1:0 1>0:1 2>3:2 3>2:3 | 0>2:0,1 1>3:0,1 2>0:2,3 3>1:2,3"},
      {"torus2d_reduce_scatter",
       lowered(Kind::reduce_scatter, Algorithm::torus, kTwoByTwo),
       0.75,
       {0.5, 0.25},
       1.25,
       "0>2:+2,3 1>3:+2,3 2>0:+0,1 3>1:+0,1 | 0>1:+1 1>0:+0 2>3:+3 3>2:+2"},
      {"torus2d_all_reduce",
       lowered(Kind::all_reduce, Algorithm::torus, kTwoByTwo),
       1.5,
       {0.5, 0.25, 0.25, 0.5},
       2.5,
       "0>2:+2,3 1>3:+2,3 2>0:+0,1 3>1:+0,1 | 0>1:+1 1>0:+0 2>3:+3 3>2:+2 | 0>1:0 1>0:1 2>3:2 3>2:3 "
       "| 0>2:0,1 1>3:0,1 2>0:2,3 3>1:2,3"},
  };
}

TEST(GoldenTables, EveryTransferIsTheTables) {
  for (const Golden& golden : goldens())
    EXPECT_EQ(table(*golden.schedule), table(golden.table)) << golden.name;
}

TEST(GoldenTables, RanksSendWhatTheTablesSay) {
  for (const Golden& golden : goldens()) {
    const CollectiveSchedule& s = *golden.schedule;
    std::vector<double> sent(4, 0);
    std::vector<double> most_sent_step;
    for (int32_t step = 0; step < s.steps(); ++step) {
      std::vector<double> now(4, 0);
      std::vector<Transfer> transfers;
      s.append_step(step, transfers);
      for (const Transfer& t : transfers) now[static_cast<size_t>(t.source)] += double(t.count) / s.chunks();
      for (size_t r = 0; r < 4; ++r) sent[r] += now[r];
      most_sent_step.push_back(*std::max_element(now.begin(), now.end()));
    }
    EXPECT_EQ(*std::max_element(sent.begin(), sent.end()), golden.most_sent) << golden.name;
    EXPECT_EQ(most_sent_step, golden.most_sent_step) << golden.name;
  }
}

TEST(GoldenTables, TheMostLoadedLinkCarriesWhatTheTablesSay) {
  for (const Golden& golden : goldens()) {
    LinkLoad load(4, GroupTopology{}, LinkCosts{.latency_s = 0, .bytes_per_s = 1});
    double carried = 0;
    for (int32_t step = 0; step < golden.schedule->steps(); ++step)
      carried += load.step_seconds(*golden.schedule, step, 1);
    EXPECT_DOUBLE_EQ(carried, golden.link) << golden.name;
  }
}

}  // namespace
}  // namespace shardscope::golden_tables_test
