// SPDX-License-Identifier: Apache-2.0
// Times of single collectives against the formulas of textbooks; S bytes in all, n devices, α per hop, β per
// link.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::closed_forms_test {
namespace {

using Algorithm = CollectiveAlgorithm;
constexpr int64_t kS = 64 * kMiB;

double ns(const Timeline& t) {
  return static_cast<double>(t.total) * 1e-3;
}
Mesh ring(int n, bool wrap = true) {
  return mesh(fmt::format("x={}", n), wrap);
}

// (n-1)(α + S/(nβ)), and what two independent network simulators gave, in whole ns.
TEST(ClosedForms, OneWayRingGather) {
  for (const auto& [n, golden] : std::map<int, double>{{8, 1177905}, {64, 1352706}, {512, 1595056}}) {
    const Timeline t = run(one(Op::all_gather, ring(n), kS), chip(), Algorithm::ring);
    expect_time(t.total, (n - 1) * (kAlpha + kS / n / kBeta), fmt::format("n={}", n));
    EXPECT_NEAR(ns(t), golden, 1e-6 * golden);
    EXPECT_EQ(t.event_count, int64_t{n} * (n - 1));
  }
}

// 2(n-1)(α + S/(nβ)).
TEST(ClosedForms, OneWayRingReduce) {
  for (const auto& [n, golden] : std::map<int, double>{{8, 2355810}, {64, 2705412}, {512, 3190112}}) {
    const Timeline t = run(one(Op::all_reduce, ring(n), kS), chip(), Algorithm::ring, true, n < 512);
    expect_time(t.total, 2 * (n - 1) * (kAlpha + kS / n / kBeta), fmt::format("n={}", n));
    EXPECT_NEAR(ns(t), golden, 1e-6 * golden);
  }
  for (const int n : {3, 8}) {
    expect_time(run(one(Op::reduce_scatter, ring(n), 24 * kMiB), chip(), Algorithm::ring).total,
                (n - 1) * (kAlpha + 24 * kMiB / n / kBeta), "reduce-scatter");
  }
}

// (n-1)(α + S/(2nβ)).
TEST(ClosedForms, HalvesBothWays) {
  const Timeline t = run(one(Op::all_gather, ring(64), kS), chip(), Algorithm::bidirectional);
  expect_time(t.total, 63 * (kAlpha + kS / 64 / (2 * kBeta)), "n=64");
  EXPECT_NEAR(ns(t), 692103, 1);
  for (const int n : {3, 4, 8}) {
    for (const Op op : {Op::all_gather, Op::reduce_scatter}) {
      expect_time(run(one(op, ring(n), 24 * kMiB), chip(), Algorithm::bidirectional).total,
                  (n - 1) * (kAlpha + 24 * kMiB / n / (2 * kBeta)), "halves");
    }
    expect_time(run(one(Op::all_reduce, ring(n), 24 * kMiB), chip(), Algorithm::bidirectional).total,
                2 * (n - 1) * (kAlpha + 24 * kMiB / n / (2 * kBeta)), "halves");
  }
}

// Even n: (n/2 - 1)(α + m/β) + α + m/2β; odd n: (n-1)/2·(α + m/β); m = S/n.
TEST(ClosedForms, WholeShardsBothWays) {
  const double m = kS / 64 / kBeta;
  const Timeline t = run(one(Op::all_gather, ring(64), kS), chip(), Algorithm::bidirectional_whole);
  expect_time(t.total, 31 * (kAlpha + m) + kAlpha + m / 2, "n=64");
  EXPECT_NEAR(ns(t), 676603, 1);
  const double odd = 9 * kMiB / 9 / kBeta;
  expect_time(run(one(Op::all_gather, ring(9), 9 * kMiB), chip(), Algorithm::bidirectional_whole).total,
              4 * (kAlpha + odd), "n=9");
  expect_time(run(one(Op::all_reduce, ring(64), kS), chip(), Algorithm::bidirectional_whole).total,
              2 * (31 * (kAlpha + m) + kAlpha + m / 2), "all-reduce");
}

// A line and a ring of two: (n-1)(α + S/(nβ)) by every algorithm.
TEST(ClosedForms, LineAndPair) {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::bidirectional}) {
    for (const int n : {2, 3, 8}) {
      for (const bool wrap : {true, false}) {
        if (wrap && n > 2) continue;
        for (const Op op : {Op::all_gather, Op::reduce_scatter}) {
          expect_time(run(one(op, ring(n, wrap), 24 * kMiB), chip(), algorithm).total,
                      (n - 1) * (kAlpha + 24 * kMiB / n / kBeta), fmt::format("{} n={}", name(algorithm), n));
        }
        expect_time(run(one(Op::all_reduce, ring(n, wrap), 24 * kMiB), chip(), algorithm).total,
                    2 * (n - 1) * (kAlpha + 24 * kMiB / n / kBeta), "all-reduce");
      }
    }
  }
}

// On a torus of Y columns and X rows, Y first: (Y-1)(α + S/(XYβ)) + (X-1)(α + S/(Xβ)).
TEST(ClosedForms, TwoAxesOneAfterTheOther) {
  for (const auto& [sizes, golden] :
       std::map<std::pair<int, int>, double>{{{8, 8}, 1328206}, {{16, 32}, 1362556}}) {
    const auto [x, y] = sizes;
    const Mesh m = mesh(fmt::format("x={},y={}", x, y));
    SpmdBuilder b("torus", m, {64, 64, 64}, {{"x", "x"}, {"y", "y"}});
    PartitionSpec both;
    both.dims = {{"x", "y"}};
    const Value v = b.all_gather(b.all_gather(b.input(ArrayRole::lhs, {kS / 4}, both), "y", 0), "x", 0);
    const auto program = b.finish(v, ArrayRole::lhs, {kS / 4}, P(""));
    ASSERT_TRUE(program.ok()) << program.error().text();
    const Timeline t = run(*program, chip(), Algorithm::ring);
    expect_time(t.total, (y - 1) * (kAlpha + kS / (kBeta * x * y)) + (x - 1) * (kAlpha + kS / (kBeta * x)),
                "torus");
    EXPECT_NEAR(ns(t), golden, 1e-6 * golden);
  }
}

// All devices at once, by d: h(α + M/β), h = min(d, n-d), because each link carries h messages.
TEST(ClosedForms, UniformShift) {
  for (const auto& [d, golden] : std::map<int, double>{{1, 21472}, {2, 42943}, {4, 85886}}) {
    const Timeline t = run(one(Op::shift, ring(16), kMiB, d));
    expect_time(t.total, d * (kAlpha + kMiB / kBeta), fmt::format("by {}", d));
    EXPECT_NEAR(ns(t), golden, 0.6);
    EXPECT_EQ(t.totals[3].bytes_sent, kMiB);
    EXPECT_EQ(t.totals[3].bytes_received, kMiB);
    EXPECT_EQ(t.totals[3].bytes_relayed, (d - 1) * kMiB);
  }
  expect_time(run(one(Op::shift, ring(16), kMiB, 13)).total, 3 * (kAlpha + kMiB / kBeta), "the shorter way");
  expect_time(run(one(Op::shift, ring(8, false), kMiB, 1)).total, 7 * kAlpha + kMiB / kBeta,
              "without wrap-around the last one crosses the line");
}

// A message alone: hα + M/β, each link starts α after the one before.
TEST(ClosedForms, LoneMessageCutsThrough) {
  SpmdBuilder b("one", ring(16), {64, 64, 64}, {{"x", "x"}});
  const Value v = b.shift(b.input(ArrayRole::lhs, {kMiB / 4 * 16}, P("x")), "x", 5);
  Program program = *b.finish(v, ArrayRole::lhs, {kMiB / 4 * 16}, P("x"));
  for (Instruction& i : program.computations[0].instructions) {
    if (i.opcode != Opcode::collective_permute) continue;
    i.permutation = std::make_shared<Permutation>(*Permutation::make({{DeviceId(2), DeviceId(7)}}, 16));
  }
  const Timeline t = run(program);
  expect_time(t.total, 5 * kAlpha + kMiB / kBeta, "5 hops");
  ASSERT_EQ(t.events.size(), 5u);
  for (size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(t.events[k].device, 2 + static_cast<int32_t>(k));
    EXPECT_EQ(t.events[k].relayed, k > 0);
    EXPECT_EQ(t.events[k].start, static_cast<Picoseconds>(k) * to_picoseconds(kAlpha));
    EXPECT_EQ(t.events[k].cause, static_cast<int32_t>(k) - 1);
  }
  EXPECT_EQ(t.critical_path.latency, 5 * to_picoseconds(kAlpha));
  EXPECT_EQ(t.critical_path.bandwidth, t.total - t.critical_path.latency);
}

// Neighbours on the logical ring stand two chips apart: every link is shared by two messages of each step.
TEST(ClosedForms, DeviceOrderMakesHops) {
  const std::vector<int32_t> even_then_odd = {0, 2, 4, 6, 8, 1, 3, 5, 7};
  const Mesh m = mesh("x=9", true, even_then_odd);
  const Timeline t = run(one(Op::shift, m, kMiB, 1));
  expect_time(t.total, 2 * (kAlpha + kMiB / kBeta), "two hops each");
  int64_t relayed = 0;
  for (const DeviceTotals& d : t.totals) relayed += d.bytes_relayed;
  EXPECT_EQ(relayed, 9 * kMiB);
}

// A port is busy for M/β, α comes once per message; a full mesh has a link per pair.
TEST(ClosedForms, SwitchAndFullMesh) {
  for (const Topology topology : {Topology::switch_, Topology::full}) {
    Hardware h = chip();
    h.topology = topology;
    expect_time(run(one(Op::all_gather, ring(8), kS), h, Algorithm::ring).total,
                7 * (kAlpha + kS / 8 / kBeta), "ring");
    expect_time(run(one(Op::shift, ring(8), kMiB, 3), h).total, kAlpha + kMiB / kBeta, "any pair is near");
  }
}

TEST(ClosedForms, LaunchOverheadOncePerCollective) {
  Hardware h = chip();
  h.link.launch_overhead_s = 13e-6;
  const Timeline t = run(one(Op::all_gather, ring(8), kS), h, Algorithm::ring);
  expect_time(t.total, 13e-6 + 7 * (kAlpha + kS / 8 / kBeta), "overhead");
  EXPECT_EQ(t.critical_path.overhead, to_picoseconds(13e-6));
}

}  // namespace
}  // namespace shardscope::schedule_test::closed_forms_test
