// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "engine/collectives/collective.h"
#include "engine/collectives/permute.h"

namespace shardscope {
namespace {

using Kind = CollectiveKind;
using Algorithm = CollectiveAlgorithm;

std::shared_ptr<const CollectiveSchedule> must_lower(Kind kind, Algorithm algorithm, int32_t ranks,
                                                     GroupTopology topology = {}) {
  auto schedule = lower(kind, algorithm, ranks, topology);
  EXPECT_TRUE(schedule.ok()) << (schedule.ok() ? "" : schedule.error().text());
  return *schedule;
}

// "0>1:3 1>2:0 | …": source, target, chunks; steps apart by bars, transfers of a step in any order.
std::vector<std::vector<std::string>> table(const std::string& text) {
  std::vector<std::vector<std::string>> steps(1);
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (word == "|") {
      steps.emplace_back();
    } else {
      steps.back().push_back(word);
    }
  }
  for (auto& step : steps) std::sort(step.begin(), step.end());
  return steps;
}

std::vector<std::vector<std::string>> table(const CollectiveSchedule& schedule) {
  std::vector<std::vector<std::string>> steps;
  for (int32_t s = 0; s < schedule.steps(); ++s) {
    std::vector<Transfer> transfers;
    schedule.append_step(s, transfers);
    steps.emplace_back();
    for (const Transfer& t : transfers) {
      std::string chunks;
      for (int32_t c = 0; c < t.count; ++c)
        chunks += fmt::format("{}{}", c ? "," : "", (t.chunk + c) % schedule.chunks());
      steps.back().push_back(fmt::format("{}>{}:{}{}", t.source, t.target, t.adds ? "+" : "", chunks));
    }
    std::sort(steps.back().begin(), steps.back().end());
  }
  return steps;
}

constexpr const char* kRingGather =
    "0>1:0 1>2:1 2>3:2 3>0:3 | 0>1:3 1>2:0 2>3:1 3>0:2 | 0>1:2 1>2:3 2>3:0 3>0:1";
constexpr const char* kRingScatter =
    "0>1:+3 1>2:+0 2>3:+1 3>0:+2 | 0>1:+2 1>2:+3 2>3:+0 3>0:+1 | 0>1:+1 1>2:+2 2>3:+3 3>0:+0";
constexpr const char* kHalvesGather =
    "0>1:0 1>2:2 2>3:4 3>0:6 0>3:1 1>0:3 2>1:5 3>2:7 | 0>1:6 1>2:0 2>3:2 3>0:4 0>3:3 1>0:5 2>1:7 3>2:1 | "
    "0>1:4 1>2:6 2>3:0 3>0:2 0>3:5 1>0:7 2>1:1 3>2:3";
constexpr const char* kHalvesScatter =
    "0>1:+6 1>2:+0 2>3:+2 3>0:+4 0>3:+3 1>0:+5 2>1:+7 3>2:+1 | "
    "0>1:+4 1>2:+6 2>3:+0 3>0:+2 0>3:+5 1>0:+7 2>1:+1 3>2:+3 | "
    "0>1:+2 1>2:+4 2>3:+6 3>0:+0 0>3:+7 1>0:+1 2>1:+3 3>2:+5";
constexpr const char* kWholeGather =
    "0>1:0,1 1>2:2,3 2>3:4,5 3>0:6,7 0>3:0,1 1>0:2,3 2>1:4,5 3>2:6,7 | "
    "0>1:6 1>2:0 2>3:2 3>0:4 0>3:3 1>0:5 2>1:7 3>2:1";

std::string both(const char* scatter, const char* gather) {
  return fmt::format("{} | {}", scatter, gather);
}

TEST(Collectives, ScheduleOfFourRanksIsTheTable) {
  EXPECT_EQ(table(*must_lower(Kind::all_gather, Algorithm::ring, 4)), table(kRingGather));
  EXPECT_EQ(table(*must_lower(Kind::reduce_scatter, Algorithm::ring, 4)), table(kRingScatter));
  EXPECT_EQ(table(*must_lower(Kind::all_reduce, Algorithm::ring, 4)), table(both(kRingScatter, kRingGather)));
  EXPECT_EQ(table(*must_lower(Kind::all_gather, Algorithm::bidirectional, 4)), table(kHalvesGather));
  EXPECT_EQ(table(*must_lower(Kind::reduce_scatter, Algorithm::bidirectional, 4)), table(kHalvesScatter));
  EXPECT_EQ(table(*must_lower(Kind::all_reduce, Algorithm::bidirectional, 4)),
            table(both(kHalvesScatter, kHalvesGather)));
  EXPECT_EQ(table(*must_lower(Kind::all_gather, Algorithm::bidirectional_whole, 4)), table(kWholeGather));
}

// Executes a schedule on symbols: what each rank holds of each chunk is how often each rank's contribution is
// in it.
using Held = std::map<int32_t, int32_t>;  // contributor -> times

std::string run_symbolically(Kind kind, const CollectiveSchedule& schedule) {
  const int32_t n = schedule.ranks();
  const int32_t chunks = schedule.chunks();
  const bool gathers = kind == Kind::all_gather;
  const auto owner = [&](int32_t chunk) { return static_cast<int32_t>(int64_t{chunk} * n / chunks); };
  std::vector<std::vector<Held>> held(static_cast<size_t>(n), std::vector<Held>(static_cast<size_t>(chunks)));
  for (int32_t r = 0; r < n; ++r) {
    for (int32_t c = 0; c < chunks; ++c) {
      if (!gathers || owner(c) == r) held[static_cast<size_t>(r)][static_cast<size_t>(c)] = {{r, 1}};
    }
  }
  for (int32_t s = 0; s < schedule.steps(); ++s) {
    std::vector<Transfer> transfers;
    schedule.append_step(s, transfers);
    if (!std::is_sorted(transfers.begin(), transfers.end(),
                        [](const Transfer& a, const Transfer& b) { return a.source < b.source; })) {
      return "transfers are not by source";
    }
    const auto before = held;
    for (const Transfer& t : transfers) {
      if (t.step != s) return "wrong step";
      for (int32_t k = 0; k < t.count; ++k) {
        const size_t c = static_cast<size_t>((t.chunk + k) % chunks);
        const Held& sent = before[static_cast<size_t>(t.source)][c];
        Held& kept = held[static_cast<size_t>(t.target)][c];
        if (sent.empty())
          return fmt::format("step {}: rank {} sends chunk {} that it does not hold", s, t.source, c);
        if (!t.adds) kept = sent;
        if (t.adds) {
          for (const auto& [rank, times] : sent) kept[rank] += times;
        }
      }
    }
  }
  for (int32_t r = 0; r < n; ++r) {
    for (int32_t c = 0; c < chunks; ++c) {
      if (kind == Kind::reduce_scatter && owner(c) != r) continue;
      Held expected;
      for (int32_t from = 0; from < n; ++from) {
        if (!gathers || from == owner(c)) expected[from] = 1;
      }
      if (held[static_cast<size_t>(r)][static_cast<size_t>(c)] != expected) {
        return fmt::format("rank {} chunk {} has not every contribution once", r, c);
      }
    }
  }
  return "";
}

TEST(Collectives, EveryContributionIsCountedExactlyOnce) {
  for (const Kind kind : {Kind::all_gather, Kind::reduce_scatter, Kind::all_reduce}) {
    for (const Algorithm algorithm :
         {Algorithm::automatic, Algorithm::ring, Algorithm::bidirectional, Algorithm::bidirectional_whole}) {
      for (const bool wraps : {true, false}) {
        for (const int32_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17}) {
          EXPECT_EQ(run_symbolically(kind, *must_lower(kind, algorithm, n, {wraps, false})), "")
              << name(kind) << ' ' << name(algorithm) << (wraps ? " ring of " : " line of ") << n;
        }
      }
    }
  }
}

TEST(Collectives, GatherAndScatterMoveEachShardOnceToEachOtherRank) {
  for (const Kind kind : {Kind::all_gather, Kind::reduce_scatter}) {
    for (const Algorithm algorithm :
         {Algorithm::ring, Algorithm::bidirectional, Algorithm::bidirectional_whole}) {
      for (const bool wraps : {true, false}) {
        for (const int32_t n : {2, 3, 8, 9}) {
          const auto schedule = must_lower(kind, algorithm, n, {wraps, false});
          int64_t sent = 0;
          for (int32_t s = 0; s < schedule->steps(); ++s) {
            std::vector<Transfer> transfers;
            schedule->append_step(s, transfers);
            for (const Transfer& t : transfers) sent += t.count;
          }
          // Mean over ranks (n-1)/n of the whole: (n-1)·chunks in all.
          EXPECT_EQ(sent, int64_t{n - 1} * schedule->chunks())
              << name(kind) << ' ' << name(algorithm) << ' ' << n;
        }
      }
    }
  }
}

TEST(Collectives, StepsAreTheTextbookOnes) {
  EXPECT_EQ(must_lower(Kind::all_gather, Algorithm::ring, 8)->steps(), 7);
  EXPECT_EQ(must_lower(Kind::all_reduce, Algorithm::ring, 8)->steps(), 14);
  EXPECT_EQ(must_lower(Kind::all_gather, Algorithm::bidirectional_whole, 8)->steps(), 4);
  EXPECT_EQ(must_lower(Kind::all_gather, Algorithm::bidirectional_whole, 9)->steps(), 4);
  EXPECT_EQ(must_lower(Kind::all_gather, Algorithm::ring, 1)->steps(), 0);
}

TEST(Collectives, TwoRanksUseOneLinkEachWay) {
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::bidirectional, Algorithm::bidirectional_whole}) {
    EXPECT_EQ(table(*must_lower(Kind::all_gather, algorithm, 2)), table("0>1:0 1>0:1")) << name(algorithm);
  }
}

TEST(Collectives, ALineSendsBothWaysToItsEnds) {
  EXPECT_EQ(table(*must_lower(Kind::all_gather, Algorithm::ring, 3, {false, false})),
            table("0>1:0 1>2:1 1>0:1 2>1:2 | 1>2:0 1>0:2"));
  EXPECT_EQ(table(*must_lower(Kind::reduce_scatter, Algorithm::ring, 3, {false, false})),
            table("0>1:+2 2>1:+0 | 0>1:+1 1>0:+0 1>2:+2 2>1:+1"));
}

TEST(Collectives, AutomaticIsBidirectionalOnARingOfMoreThanTwo) {
  EXPECT_EQ(chosen_algorithm(Algorithm::automatic, 3, {true, false}), Algorithm::bidirectional);
  EXPECT_EQ(chosen_algorithm(Algorithm::automatic, 2, {true, false}), Algorithm::ring);
  EXPECT_EQ(chosen_algorithm(Algorithm::automatic, 8, {false, false}), Algorithm::ring);
  EXPECT_EQ(chosen_algorithm(Algorithm::automatic, 8, {true, true}), Algorithm::ring);
  EXPECT_EQ(chosen_algorithm(Algorithm::direct, 8, {true, false}), Algorithm::direct);
  for (const bool wraps : {true, false}) {
    for (const int32_t n : {1, 2, 3, 8}) {
      const GroupTopology topology{wraps, false};
      EXPECT_EQ(table(*must_lower(Kind::all_reduce, Algorithm::automatic, n, topology)),
                table(*must_lower(Kind::all_reduce, chosen_algorithm(Algorithm::automatic, n, topology), n,
                                  topology)));
    }
  }
}

TEST(Collectives, WordsAreReadBackAndSlipsAreCorrected) {
  for (int i = 0; i <= static_cast<int>(Algorithm::hierarchical); ++i) {
    const auto algorithm = static_cast<Algorithm>(i);
    ASSERT_TRUE(parse_collective_algorithm(name(algorithm)).ok()) << name(algorithm);
    EXPECT_EQ(*parse_collective_algorithm(name(algorithm)), algorithm);
  }
  const auto slip = parse_collective_algorithm("bidirectonal");
  ASSERT_FALSE(slip.ok());
  EXPECT_EQ(slip.error().text(), "unknown collective algorithm 'bidirectonal'; did you mean bidirectional?");
}

TEST(Collectives, WhatIsNotThereYetIsRefusedByName) {
  const auto bruck = lower(Kind::all_gather, Algorithm::bruck, 8);
  ASSERT_FALSE(bruck.ok());
  EXPECT_EQ(bruck.error().text(),
            "collective algorithm 'bruck' is not available yet; use auto, ring, bidirectional or "
            "bidirectional.whole");
  const auto exchange = lower(Kind::all_to_all, Algorithm::ring, 8);
  ASSERT_FALSE(exchange.ok());
  EXPECT_EQ(exchange.error().what, "all-to-all has no transfer schedule yet");
  EXPECT_FALSE(lower(Kind::all_gather, Algorithm::ring, 0).ok());
}

TEST(Collectives, APermutationIsOneStepOfItsPairs) {
  auto p = Permutation::make(
      {{DeviceId(0), DeviceId(2)}, {DeviceId(1), DeviceId(1)}, {DeviceId(2), DeviceId(0)}}, 3);
  ASSERT_TRUE(p.ok());
  EXPECT_EQ(table(*permute_schedule(std::make_shared<Permutation>(*p), 3)), table("0>2:0 2>0:2"));
  const auto still = permute_schedule(std::make_shared<Permutation>(), 3);
  EXPECT_EQ(still->steps(), 0);
}

}  // namespace
}  // namespace shardscope
