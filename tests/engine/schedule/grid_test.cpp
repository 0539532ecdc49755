// SPDX-License-Identifier: Apache-2.0
// Cannon's algorithm on a q x q torus: the skew is one permute of many hops, the shifts hide behind the
// products.
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::grid_test {
namespace {

struct Case {
  int64_t q;
  int64_t side;  // m = k = n
};

// The time of a block's hop, α + M/β, and of its product at the chip's f32 peak; both in s.
double hop(const Case& c) {
  const auto block = static_cast<double>(c.side / c.q);
  return kAlpha + 4 * block * block / kBeta;
}
double product(const Case& c) {
  const auto block = static_cast<double>(c.side / c.q);
  return 2 * block * block * block / 100e12;
}

// ⌊q/2⌋ (α + M/β) + (q−1) max(α + M/β, compute) + compute.
TEST(Cannon, TakesItsSkewAndTheSlowerOfHopAndProductAStep) {
  int bound_by_links = 0, bound_by_compute = 0;
  for (const Case& c : {Case{2, 512}, {3, 768}, {4, 1024}, {4, 65536}, {5, 640}, {6, 98304}, {8, 4096}}) {
    const auto steps = static_cast<double>(c.q - 1), skew = static_cast<double>(c.q / 2);
    const std::string side = std::to_string(c.q);
    const Timeline t = run(plan("cannon.os", mesh("row=" + side + ",col=" + side),
                                {c.side, c.side, c.side, ElementType::f32, ElementType::f32}));
    expect_time(t.total, skew * hop(c) + steps * std::max(hop(c), product(c)) + product(c),
                side + "x" + side + " of " + std::to_string(c.side));
    ++(hop(c) > product(c) ? bound_by_links : bound_by_compute);
  }
  EXPECT_GE(bound_by_links, 2);
  EXPECT_GE(bound_by_compute, 2);
}

// Halves both ways: half of the bytes a hop, two products of half the contraction a step.
TEST(Cannon, BothWaysHalvesTheHop) {
  const Case c{4, 1024};
  const auto block = static_cast<double>(c.side / c.q);
  const double half_hop = kAlpha + 2 * block * block / kBeta;
  const Timeline t = run(plan("cannon.bidirectional", mesh("row=4,col=4"),
                              {c.side, c.side, c.side, ElementType::f32, ElementType::f32}));
  ASSERT_GT(half_hop, product(c));
  expect_time(t.total, 2 * hop(c) + 3 * half_hop + product(c), "4x4 in halves");
}

// Three blocks live on a device, and of what travels one that is multiplied, one that leaves, one that comes.
TEST(Cannon, HoldsOneSpareBlockOfWhatTravels) {
  const Timeline t =
      run(plan("cannon.os", mesh("row=8,col=8"), {16384, 16384, 16384, ElementType::f32, ElementType::f32}));
  const int64_t block = 4 * 2048 * 2048;
  // X and W stay where they came from, as parameters do; Y; up to three blocks each of X and W on their way.
  for (const DeviceTotals& d : t.totals) EXPECT_LE(d.peak_bytes, (2 + 1 + 2 * 3) * block);
}

// X stays, so that of Y each device ever has its own panels and a partial one or two, and of W two panels.
TEST(Summa, HoldsItsOwnPanelsOfYOnly) {
  StrategyOptions options;
  options.block = 128;
  for (const char* id : {"summa.os", "summa.ls", "summa.rs"}) {
    const Timeline t = run(
        plan(id, mesh("row=4,col=4"), {16384, 16384, 16384, ElementType::f32, ElementType::f32}, options));
    const int64_t block = 4 * 4096 * 4096, panel = 4 * 4096 * 128;
    for (const DeviceTotals& d : t.totals) EXPECT_LE(d.peak_bytes, 3 * block + 8 * panel) << id;
  }
}

}  // namespace
}  // namespace shardscope::schedule_test::grid_test
