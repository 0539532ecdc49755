// SPDX-License-Identifier: Apache-2.0
// The one cost of products, memory and messages, and the one derivation of a mesh's links.
#include <gtest/gtest.h>

#include "engine/hardware/fabric.h"

namespace shardscope {
namespace {

Hardware chip(Topology topology) {
  Hardware h;
  h.name = "chip";
  h.topology = topology;
  h.compute.peak_flops_per_s[ElementType::f32] = 1e12;
  h.compute.efficiency = 0.5;
  h.compute.launch_overhead_s = 1e-6;
  h.compute.mxu_rows = h.compute.mxu_cols = 128;
  h.memory.hbm_bytes_per_s = 1e11;
  h.link.bytes_per_s = 1e9;
  h.link.latency_s = 1e-6;
  if (topology == Topology::two_level) {
    h.node_devices = 2;
    h.network_bytes_per_s = 1e8;
    h.network_latency_s = 1e-5;
  }
  return h;
}

TEST(Cost, AProductIsTheLongerOfItsPaddedFlopsAndItsBytesAndTheLaunch) {
  const Hardware h = chip(Topology::torus);
  const Peak peak = peak_for(h, ElementType::f32).value();
  // n = 129 fills two tiles of columns.
  const ProductSize size{1, 256, 128, 129};
  EXPECT_DOUBLE_EQ(padded_flops(h, size), 2.0 * 256 * 128 * 256);
  const Cost flops = product_cost(h, peak, size, 1000).value();
  EXPECT_EQ(flops.compute, to_picoseconds(2.0 * 256 * 128 * 256 / 0.5e12));
  EXPECT_EQ(flops.memory, 0);
  EXPECT_EQ(flops.overhead, 1'000'000);
  const Cost bytes = product_cost(h, peak, size, 1'000'000'000).value();
  EXPECT_EQ(bytes.memory, 10'000'000'000);
  EXPECT_EQ(bytes.compute, 0);
  // Inside a kernel the array also fills and drains: (2·128 + 128 − 2) cycles more a tile.
  EXPECT_EQ(array_time(h, peak, size),
            to_picoseconds((2.0 * (256 + 2 * 128 + 126) - 1) * 2 * 128 * 128 / 0.5e12));
}

TEST(Cost, NamesWhatIsNotPublished) {
  Hardware h = chip(Topology::torus);
  h.memory.hbm_bytes_per_s.reset();
  EXPECT_EQ(memory_time(h, 8).error().what, "memory.hbm_bytes_per_s of chip is not published");
}

TEST(Fabric, NeighboursAndDirectionsFollowTheAxesAndTheWrapRules) {
  const Mesh mesh = with_wrap(Mesh::parse("a=1,b=2,c=4,d=3").value(), "b,c").value();
  const Fabric torus = torus_of(mesh);
  EXPECT_EQ(torus.directions(0), 0);
  EXPECT_EQ(torus.directions(1), 1);
  EXPECT_EQ(torus.directions(2), 2);
  // Axes of one lead back, those of two have one link each way, wrapped or not.
  EXPECT_EQ(torus.neighbour(0, 0, 1), std::nullopt);
  EXPECT_EQ(torus.neighbour(0, 1, 1), 12);
  EXPECT_EQ(torus.neighbour(12, 1, 1), std::nullopt);
  EXPECT_EQ(torus.neighbour(9, 2, 1), 0);
  EXPECT_EQ(torus.neighbour(2, 3, 1), std::nullopt);
  const Fabric line = Fabric::make(mesh, chip(Topology::line)).value();
  EXPECT_EQ(line.neighbour(9, 2, 1), std::nullopt);
  // By chips: device 0 runs where device 1 would.
  const Fabric swapped = torus_of(Mesh::make({{"x", 4}}, {1, 0, 2, 3}).value());
  EXPECT_EQ(swapped.neighbour(0, 0, 1), 2);
  EXPECT_EQ(swapped.neighbour(0, 0, -1), 1);
}

TEST(Fabric, AWayAlongAnAxisIsTheShorterOneEverywhere) {
  for (int64_t size = 1; size <= 9; ++size) {
    for (const bool wraps : {false, true}) {
      const Mesh mesh = Mesh::make({{"x", size, wraps}}).value();
      const Fabric fabric = torus_of(mesh);
      for (int32_t from = 0; from < size; ++from) {
        for (int32_t to = 0; to < size; ++to) {
          int32_t at = from;
          int64_t hops = 0;
          for (; at != to; ++hops) at = fabric.next_hop(at, to, +1).next;
          EXPECT_EQ(axis_way(from, to, size, wraps).hops, hops) << size << wraps << from << to;
        }
      }
    }
  }
}

TEST(Fabric, OnlyAPortIsFreeBeforeItsMessageHasArrived) {
  const Mesh mesh = Mesh::parse("x=4").value();
  for (const Topology topology : {Topology::torus, Topology::line, Topology::full}) {
    const LinkTime time = Fabric::make(mesh, chip(topology)).value().link_time(1000);
    EXPECT_EQ(time.passes.total(), 2'000'000);
    EXPECT_EQ(time.head.total(), 1'000'000);
    EXPECT_EQ(time.held, time.passes) << name(topology);
  }
  const Fabric nodes = Fabric::make(mesh, chip(Topology::two_level)).value();
  EXPECT_EQ(nodes.link_time(1000).held.total(), 1'000'000);
  EXPECT_EQ(nodes.link_time(1000, 1).passes.total(), 20'000'000);
  EXPECT_EQ(nodes.link_time(1000, 1).held.total(), 10'000'000);
}

TEST(Overrides, OfSeveralWordsTheLastCounts) {
  const HardwareOverrides overrides{{{3, 0.5}, {3, 0.25}}, {{0, 1, 0.5}, {1, 0, 0.75}}, {}};
  EXPECT_EQ(chip_speed(overrides, 3), 0.25);
  EXPECT_EQ(chip_speed(overrides, 2), 1);
  EXPECT_EQ(link_speed(overrides, 0, 1), 0.75);
  const Fabric fabric = Fabric::make(Mesh::parse("x=4").value(), chip(Topology::torus), overrides).value();
  EXPECT_EQ(fabric.speed(3), 0.25);
}

}  // namespace
}  // namespace shardscope
