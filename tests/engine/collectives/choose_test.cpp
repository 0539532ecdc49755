// SPDX-License-Identifier: Apache-2.0
// What schedules take by the load of their links, against closed forms written out; what is chosen, and why.
#include "engine/collectives/choose.h"

#include <cmath>
#include <gtest/gtest.h>

#include "engine/collectives/link_load.h"

namespace shardscope::choose_test {
namespace {

using Kind = CollectiveKind;
using Algorithm = CollectiveAlgorithm;

constexpr double kS = 64.0 * 1024 * 1024;
constexpr double kAlpha = 500e-9;
constexpr double kBeta = 50e9;
constexpr LinkCosts kLinks{.latency_s = kAlpha, .bytes_per_s = kBeta};
constexpr LinkCosts kPort{.latency_s = kAlpha, .bytes_per_s = kBeta, .port = true};

double seconds(Kind kind, Algorithm algorithm, int32_t ranks, const GroupTopology& topology = {},
               const LinkCosts& costs = kLinks, double bytes = kS) {
  const auto schedule = lower(kind, algorithm, ranks, topology, static_cast<int64_t>(bytes)).value();
  LinkLoad load(ranks, topology, costs);
  double sum = 0;
  for (int32_t s = 0; s < schedule->steps(); ++s) sum += load.step_seconds(*schedule, s, bytes);
  return sum;
}

TEST(LinkLoad, RingsTakeTheirClosedForms) {
  for (const int32_t n : {8, 64, 9}) {
    const double m = kS / n;
    const double ring = (n - 1) * (kAlpha + m / kBeta);
    const int32_t steps = (n - 1) / 2;
    const double whole = steps * (kAlpha + m / kBeta) + (n % 2 == 0 ? kAlpha + m / (2 * kBeta) : 0);
    for (const Kind kind : {Kind::all_gather, Kind::reduce_scatter}) {
      EXPECT_NEAR(seconds(kind, Algorithm::ring, n), ring, 1e-12);
      EXPECT_NEAR(seconds(kind, Algorithm::bidirectional, n), (n - 1) * (kAlpha + m / (2 * kBeta)), 1e-12);
      EXPECT_NEAR(seconds(kind, Algorithm::bidirectional_whole, n), whole, 1e-12);
      EXPECT_NEAR(seconds(kind, Algorithm::bidirectional_whole_oneside, n), (n / 2) * (kAlpha + m / kBeta),
                  1e-12);
      EXPECT_NEAR(seconds(kind, Algorithm::ring, n, {.wraps = false}), ring, 1e-12);
    }
    EXPECT_NEAR(seconds(Kind::all_reduce, Algorithm::ring, n), 2 * ring, 1e-12);
  }
}

// De Sensi et al., NSDI 2024: in step s partners are (2^(s+1) ± 1) / 3 apart. Even ranks send up and odd ones
// down (then the other way about), so that half of the messages of a distance share the links of a way.
TEST(LinkLoad, SwingTakesItsClosedForm) {
  for (const int32_t n : {4, 8, 64}) {
    double swing = 0;
    for (int32_t s = 0; 1 << s < n; ++s) {
      const double distance = ((1 << (s + 1)) + (s % 2 == 0 ? 1 : -1)) / 3;
      const double on_link = kS / (2 << s) / kBeta;
      swing += std::max((distance + 1) / 2 * (kAlpha + on_link), distance * kAlpha + on_link);
    }
    EXPECT_NEAR(seconds(Kind::reduce_scatter, Algorithm::swing, n), swing, 1e-12) << n;
    EXPECT_NEAR(seconds(Kind::all_gather, Algorithm::swing, n), swing, 1e-12) << n;
    EXPECT_NEAR(seconds(Kind::all_reduce, Algorithm::swing, n), 2 * swing, 1e-12) << n;
  }
  // What it is for: of the algorithms in log n steps the one with the shortest ways round a ring.
  EXPECT_LT(seconds(Kind::all_reduce, Algorithm::swing, 64),
            seconds(Kind::all_reduce, Algorithm::halving_doubling, 64));
}

TEST(LinkLoad, GoldenTimesOfTwoNetworkSimulators) {
  const auto ns = [](double s) { return std::llround(s * 1e9); };
  EXPECT_EQ(ns(seconds(Kind::all_gather, Algorithm::ring, 8)), 1177905);
  EXPECT_EQ(ns(seconds(Kind::all_gather, Algorithm::ring, 64)), 1352706);
  EXPECT_EQ(ns(seconds(Kind::all_gather, Algorithm::ring, 512)), 1595056);
  EXPECT_EQ(ns(seconds(Kind::all_gather, Algorithm::bidirectional, 64)), 692103);
  EXPECT_EQ(ns(seconds(Kind::all_gather, Algorithm::bidirectional_whole_oneside, 64)), 687089);
  EXPECT_EQ(ns(seconds(Kind::all_gather, Algorithm::bidirectional_whole, 64)), 676603);
  EXPECT_EQ(ns(seconds(Kind::all_gather, Algorithm::torus, 64, {.axes = {{8}, {8}}})), 1328206);
  EXPECT_EQ(ns(seconds(Kind::all_gather, Algorithm::torus, 512, {.axes = {{16}, {32}}})), 1362556);
  EXPECT_EQ(ns(seconds(Kind::all_reduce, Algorithm::torus, 64, {.axes = {{8}, {8}}})), 2656412);
}

TEST(LinkLoad, DirectAllToAllOnARingLoadsItsLinksByTheSquare) {
  for (const int32_t n : {4, 8, 64}) {
    const double m = 3e6;
    const double expected = (n * n / 8.0 + n / 4.0) * m / kBeta;
    EXPECT_NEAR(seconds(Kind::all_to_all, Algorithm::direct, n, {}, {.latency_s = 0, .bytes_per_s = kBeta},
                        m * n * n),
                expected, 1e-12);
    // What goes to the far side in halves: n²/8.
    EXPECT_NEAR(seconds(Kind::all_to_all, Algorithm::bidirectional, n, {},
                        {.latency_s = 0, .bytes_per_s = kBeta}, m * n * n),
                n * n / 8.0 * m / kBeta, 1e-12);
  }
}

TEST(LinkLoad, HalvingDoublingWithNearPartnersFirst) {
  for (const int32_t n : {4, 8, 64}) {
    EXPECT_NEAR(seconds(Kind::all_reduce, Algorithm::halving_doubling, n),
                2 * (n - 1) * kAlpha + std::log2(n) * kS / kBeta, 1e-12);
  }
}

TEST(LinkLoad, OnACrossbarOnlyThePortsMatter) {
  const GroupTopology crossbar{.all_pairs = true};
  const int32_t n = 16;
  const double m = kS / n;
  const double doubling = 4 * kAlpha + (n - 1) * m / kBeta;
  EXPECT_NEAR(seconds(Kind::all_gather, Algorithm::doubling, n, crossbar, kPort), doubling, 1e-12);
  EXPECT_NEAR(seconds(Kind::reduce_scatter, Algorithm::doubling, n, crossbar, kPort), doubling, 1e-12);
  EXPECT_NEAR(seconds(Kind::all_gather, Algorithm::direct, n, crossbar, kPort), kAlpha + (n - 1) * m / kBeta,
              1e-12);
  // A link for every pair carries the shards at once.
  EXPECT_NEAR(seconds(Kind::all_gather, Algorithm::direct, n, crossbar, kLinks), kAlpha + m / kBeta, 1e-12);
}

TEST(LinkLoad, AllColoursOfATorusReachTheBandwidthBound) {
  const GroupTopology torus{.axes = {{8}, {8}}};
  EXPECT_NEAR(seconds(Kind::all_gather, Algorithm::torus_bidirectional, 64, torus,
                      {.latency_s = 0, .bytes_per_s = kBeta}),
              63.0 / 64 * kS / (2 * 2 * kBeta), 1e-12);
}

// L/2 steps a phase of α each; a link carries n·L/8 blocks of m on the torus L × L, and no algorithm makes it
// fewer: n²·L/4 hops along an axis over 2n links. One colour uses the links of one axis at a time.
TEST(LinkLoad, AnAllToAllAlongAllAxesOfATorusReachesTheBandwidthBound) {
  for (const int32_t l : {4, 8}) {
    const int32_t n = l * l;
    const GroupTopology torus{.axes = {{l}, {l}}};
    const double bound = n * l / 8.0 * (kS / n / n) / kBeta;
    EXPECT_NEAR(seconds(Kind::all_to_all, Algorithm::torus_bidirectional, n, torus), l * kAlpha + bound,
                1e-12);
    EXPECT_NEAR(seconds(Kind::all_to_all, Algorithm::torus, n, torus), l * kAlpha + 2 * bound, 1e-12);
  }
  const GroupTopology cube{.axes = {{4}, {4}, {4}}};
  EXPECT_NEAR(seconds(Kind::all_to_all, Algorithm::torus_bidirectional, 64, cube),
              6 * kAlpha + 64 * 4 / 8.0 * (kS / 64 / 64) / kBeta, 1e-12);
}

TEST(LinkLoad, HierarchicalSendsLittleAcrossNodes) {
  const int32_t nodes = 4, per = 8, n = nodes * per;
  LinkCosts costs = kPort;
  costs.network_latency_s = 5e-6;
  costs.network_bytes_per_s = 12.5e9;
  const GroupTopology cluster{.all_pairs = true, .node = per};
  EXPECT_NEAR(seconds(Kind::all_reduce, Algorithm::hierarchical, n, cluster, costs),
              2 * (per - 1) * (kAlpha + kS / per / kBeta) + 2 * (nodes - 1) * (5e-6 + kS / n / 12.5e9),
              1e-12);
}

TEST(Choose, TheFastestIsChosenAndSaysWhy) {
  const AlgorithmChoice ring = choose(Kind::all_gather, 64, {}, static_cast<int64_t>(kS), kLinks);
  EXPECT_EQ(ring.algorithm, Algorithm::bidirectional_whole);
  EXPECT_EQ(ring.why,
            "bidirectional.whole: 677 µs, against 687 µs by bidirectional.whole_oneside and 692 µs by "
            "bidirectional");
  EXPECT_EQ(choose(Kind::all_reduce, 64, {.axes = {{8}, {8}}}, static_cast<int64_t>(kS), kLinks).algorithm,
            Algorithm::torus_bidirectional);
  EXPECT_EQ(choose(Kind::all_gather, 16, {.all_pairs = true}, static_cast<int64_t>(kS), kPort).algorithm,
            Algorithm::direct);
  EXPECT_EQ(choose(Kind::all_reduce, 8, {.wraps = false}, static_cast<int64_t>(kS), kLinks).algorithm,
            Algorithm::ring);
  EXPECT_EQ(choose(Kind::all_reduce, 1, {}, 8, kLinks).why, "nothing is sent");
}

TEST(Choose, SmallArraysGoInFewSteps) {
  const AlgorithmChoice small = choose(Kind::all_reduce, 64, {.all_pairs = true}, 1024,
                                       {.latency_s = kAlpha, .bytes_per_s = kBeta, .port = true});
  EXPECT_LE(lower(Kind::all_reduce, small.algorithm, 64, {.all_pairs = true}, 1024).value()->steps(), 2);
}

TEST(Choose, NothingIsTimedTwice) {
  for (const bool wraps : {true, false}) {
    for (const int32_t n : {2, 6, 8}) {
      const AlgorithmChoice choice = choose(Kind::all_gather, n, {.wraps = wraps}, 1 << 20, kLinks);
      int rings = 0;
      for (const TimedAlgorithm& timed : choice.timed) {
        rings += timed.algorithm == Algorithm::ring || timed.algorithm == Algorithm::bidirectional;
        EXPECT_GE(timed.seconds, choice.timed[0].seconds * (1 - 1e-9));
      }
      EXPECT_EQ(rings, wraps && n > 2 ? 2 : 1);
    }
  }
}

}  // namespace
}  // namespace shardscope::choose_test
