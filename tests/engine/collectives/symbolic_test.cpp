// SPDX-License-Identifier: Apache-2.0
// Every legal algorithm executed on symbols, and its steps and volume against the textbook's.
#include "tests/engine/collectives/symbolic.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>

namespace shardscope::symbolic_test {
namespace {

using Kind = CollectiveKind;
using Algorithm = CollectiveAlgorithm;

constexpr Kind kKinds[] = {Kind::all_gather, Kind::reduce_scatter, Kind::all_reduce,
                           Kind::all_to_all, Kind::broadcast,      Kind::reduce};

struct Case {
  int32_t ranks;
  GroupTopology topology;
  std::string name;
};

std::vector<Case> cases(bool large) {
  std::vector<Case> out;
  std::vector<int32_t> sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  if (large) sizes.insert(sizes.end(), {10, 11, 12, 13, 14, 15, 16, 17, 32});
  const GroupTopology ring;
  for (const int32_t n : sizes) {
    out.push_back({n, ring, fmt::format("ring of {}", n)});
    out.push_back({n, {.wraps = false, .first = n / 3}, fmt::format("line of {}", n)});
    out.push_back({n, {.wraps = false, .all_pairs = true}, fmt::format("switch of {}", n)});
  }
  const std::vector<std::vector<GroupAxis>> grids = {
      {{2, true}, {2, true}},           {{2, true}, {4, true}}, {{3, true}, {4, true}},
      {{4, false}, {3, true}},          {{1, true}, {8, true}}, {{2, true}, {3, false}, {4, true}},
      {{2, true}, {2, true}, {2, true}}};
  for (const auto& axes : grids) {
    GroupTopology grid{.axes = axes};
    int32_t n = 1;
    std::string name = "grid";
    for (const GroupAxis& a : axes) {
      n *= a.size;
      grid.wraps = grid.wraps && a.wraps;
      name += fmt::format(" {}{}", a.size, a.wraps ? "" : " open");
    }
    if (large || n <= 12) out.push_back({n, grid, name});
  }
  for (const auto& [nodes, per] :
       std::vector<std::pair<int32_t, int32_t>>{{2, 2}, {2, 4}, {3, 2}, {2, 3}, {4, 4}}) {
    if (large || nodes * per <= 12)
      out.push_back(
          {nodes * per, {.all_pairs = true, .node = per}, fmt::format("{} nodes of {}", nodes, per)});
  }
  return out;
}

// Calls `check` for every legal schedule; pipelines in three segments a chain.
void for_every_schedule(
    bool large,
    const std::function<void(Algorithm, const Case&, const CollectiveSchedule&, const std::string&)>& check) {
  for (const Kind kind : kKinds) {
    for (const Case& c : cases(large)) {
      int checked = 0;
      for (const Algorithm algorithm : algorithms_for(kind)) {
        const auto schedule = lower(kind, algorithm, c.ranks, c.topology, 5 * kSegmentBytes);
        if (!schedule.ok()) continue;
        ++checked;
        EXPECT_EQ((*schedule)->kind(), kind);
        EXPECT_EQ((*schedule)->ranks(), c.ranks);
        check(algorithm, c, **schedule, fmt::format("{} {} {}", name(kind), name(algorithm), c.name));
      }
      EXPECT_GE(checked, 4) << name(kind) << ' ' << c.name;
    }
  }
}

TEST(EverySchedule, CountsEveryContributionExactlyOnce) {
  for_every_schedule(true, [](Algorithm, const Case&, const CollectiveSchedule& s, const std::string& what) {
    EXPECT_EQ(run_symbolically(s), "") << what;
  });
}

TEST(EverySchedule, WaitsForAllThatItSendsOn) {
  for_every_schedule(false, [](Algorithm, const Case&, const CollectiveSchedule& s, const std::string& what) {
    EXPECT_EQ(waits_are_enough(s), "") << what;
  });
}

TEST(EverySchedule, TurnsAsItSays) {
  for_every_schedule(false,
                     [](Algorithm, const Case& c, const CollectiveSchedule& s, const std::string& what) {
                       if (c.ranks == 2 && !s.rotation_symmetric())
                         return;                         // two ranks may always be exchanged
                       if (c.topology.node > 0) return;  // nodes do not turn
                       EXPECT_EQ(turns_as_said(s, c.topology.axes), "") << what;
                     });
}

int32_t log2_up(int32_t n) {
  return static_cast<int32_t>(std::bit_width(static_cast<uint32_t>(n) - 1));
}

// The textbook's steps on a ring, line, switch or grid of n > 2 ranks; pipelines of q segments a chain.
int32_t textbook_steps(Kind kind, Algorithm algorithm, const Case& c, int32_t depth) {
  const int32_t n = c.ranks;
  const int32_t phases = kind == Kind::all_reduce ? 2 : 1;
  const bool line = !c.topology.wraps && !c.topology.all_pairs && c.topology.node == 0;
  const bool rooted = kind == Kind::broadcast || kind == Kind::reduce;
  const bool one_axis = c.topology.axes.size() <= 1 || c.topology.axes[0].size == 1;
  const bool halves = !line && (algorithm == Algorithm::bidirectional ||
                                (algorithm == Algorithm::chain && !c.topology.all_pairs));
  switch (algorithm) {
    case Algorithm::ring:
    case Algorithm::bidirectional:
    case Algorithm::chain:
      if (rooted) {
        const int32_t length =
            line && one_axis ? std::max(n - 1 - c.topology.first, c.topology.first) : n - 1;
        return length - 1 + (halves || (line && !one_axis && algorithm != Algorithm::ring) ? 3 : 5);
      }
      if (kind == Kind::all_to_all && algorithm == Algorithm::bidirectional && !line) return n / 2;
      return phases * (n - 1);
    case Algorithm::bidirectional_whole:
    case Algorithm::bidirectional_whole_oneside:
      return phases * (line ? n - 1 : n / 2);
    case Algorithm::doubling:
      return kind == Kind::all_to_all ? n - 1 : log2_up(n);
    case Algorithm::halving_doubling:
    case Algorithm::swing:
    case Algorithm::bruck:
    case Algorithm::binomial:
      return phases * log2_up(n);
    case Algorithm::direct:
      return phases;
    case Algorithm::shift:
      return phases * (n - 1);
    case Algorithm::tree:
      return phases * depth + 3 - 1;
    default: {  // along each axis in turn
      int32_t steps = 0;
      if (c.topology.node > 0) steps = c.topology.node - 1 + n / c.topology.node - 1;
      for (const GroupAxis& axis : c.topology.axes) {
        const bool shorter = kind == Kind::all_to_all && axis.wraps && axis.size > 2;
        steps += shorter ? axis.size / 2 : axis.size - 1;
      }
      return phases * steps;
    }
  }
}

TEST(EverySchedule, HasTheTextbooksSteps) {
  for_every_schedule(
      true, [](Algorithm algorithm, const Case& c, const CollectiveSchedule& s, const std::string& what) {
        if (c.ranks <= 2) return;
        // A tree of n ranks under its root of one child, of n - 1 under rank 0; the deeper of two.
        const int32_t below = s.kind() == Kind::all_reduce ? c.ranks : c.ranks - 1;
        const int32_t depth = log2_up(below) + (s.kind() == Kind::all_reduce ? 0 : 1);
        const int32_t steps = textbook_steps(s.kind(), algorithm, c, depth);
        if (algorithm == Algorithm::tree) {
          EXPECT_LE(s.steps(), steps) << what;
        } else {
          EXPECT_EQ(s.steps(), steps) << what;
        }
      });
}

// What all ranks send together, in chunks.
int64_t textbook_sent(Algorithm algorithm, const Case& c, const CollectiveSchedule& s) {
  const int64_t n = c.ranks;
  const int64_t chunks = s.chunks();
  const bool line = !c.topology.wraps && !c.topology.all_pairs && c.topology.node == 0;
  switch (s.kind()) {
    case Kind::all_reduce:
      if (algorithm == Algorithm::doubling) return n * log2_up(c.ranks) * chunks;
      return 2 * (n - 1) * chunks;
    case Kind::all_to_all:
      if (algorithm == Algorithm::ring && !line && n > 2) return chunks * (n - 1) / 2;
      if (algorithm == Algorithm::bidirectional && !line && n > 2)
        return n % 2 == 0 ? chunks * n / 4 : chunks * (n * n - 1) / n / 4;
      if (algorithm == Algorithm::ring || algorithm == Algorithm::bidirectional)
        return chunks * (n * n - 1) / n / 3;
      if (algorithm == Algorithm::torus || algorithm == Algorithm::torus_bidirectional) {
        // A block goes to its place on each axis: a quarter of the way round on average, a third of a line.
        int64_t sent = 0;
        for (const GroupAxis& axis : c.topology.axes) {
          const int64_t l = axis.size;
          if (axis.wraps || l == 2) sent += l % 2 == 0 ? chunks * l / 4 : chunks * (l * l - 1) / l / 4;
          if (!axis.wraps && l > 2) sent += chunks * (l * l - 1) / l / 3;
        }
        return sent;
      }
      return chunks * (n - 1) / n;
    default:
      return (n - 1) * chunks;
  }
}

TEST(EverySchedule, SendsTheTextbooksVolume) {
  for_every_schedule(
      true, [](Algorithm algorithm, const Case& c, const CollectiveSchedule& s, const std::string& what) {
        int64_t sent = 0;
        for (const Transfer& t : transfers_of(s)) sent += t.count;
        EXPECT_EQ(sent, textbook_sent(algorithm, c, s)) << what;
      });
}

TEST(EverySchedule, OfAnEvenDoubleTreeNoRankIsInnerInBoth) {
  for (const int32_t n : {2, 4, 6, 8, 10, 16, 32}) {
    const auto s = lower(Kind::all_reduce, Algorithm::tree, n).value();
    std::vector<int64_t> sent(static_cast<size_t>(n), 0);
    for (const Transfer& t : transfers_of(*s)) sent[static_cast<size_t>(t.source)] += t.count;
    // Up half the array and down to two children in one tree, up half in the other: at most twice the array.
    for (const int64_t rank : sent) EXPECT_LE(rank, 2 * s->chunks()) << n;
  }
}

}  // namespace
}  // namespace shardscope::symbolic_test
