// SPDX-License-Identifier: Apache-2.0
// Contention, routes, slow and broken parts, switches and two-level machines, against forms written out.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include "engine/collectives/algorithm_table.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::topologies_test {
namespace {

using Algorithm = CollectiveAlgorithm;
constexpr int64_t kS = 64 * kMiB;

Mesh ring(int n, bool wrap = true) {
  return mesh(fmt::format("x={}", n), wrap);
}

// Every device exchanges `bytes` over x.
Program exchange(const Mesh& m, int64_t bytes) {
  SpmdBuilder b("exchange", m, {64, 64, 64}, {{"x", "x"}});
  const int64_t n = m.device_count();
  const Value v = b.all_to_all(b.input(ArrayRole::lhs, {n, bytes / 4}, P("x", "")), "x", 1);
  auto program = b.finish(v, ArrayRole::lhs, {n, bytes / 4}, P("x", ""));
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *program : Program();
}

Timeline run_with(const Program& program, const HardwareOverrides& overrides,
                  Algorithm algorithm = Algorithm::ring, const Hardware& hardware = chip()) {
  ScheduleOptions options;
  options.collective = algorithm;
  options.overrides = overrides;
  auto timeline = schedule(program, hardware, options, {});
  EXPECT_TRUE(timeline.ok()) << (timeline.ok() ? "" : timeline.error().text());
  return timeline.ok() ? *timeline : Timeline();
}

std::string refusal_with(const Program& program, const HardwareOverrides& overrides,
                         const Hardware& hardware = chip()) {
  ScheduleOptions options;
  options.overrides = overrides;
  const auto timeline = schedule(program, hardware, options, {});
  return timeline.ok() ? "" : timeline.error().text();
}

// Minimal routes, ties up: link r -> r+1 carries n²/8 + n/4 messages; at α = 0 it is never idle.
TEST(Contention, DirectAllToAllOnARing) {
  Hardware h = chip();
  h.link.latency_s = 0;
  const Timeline t = run(exchange(ring(64), kS), h, Algorithm::direct, true, false);
  const double form = (64.0 * 64 / 8 + 64.0 / 4) * (kS / 64 / kBeta);
  EXPECT_NEAR(to_seconds(t.total), form, 1e-4 * form);
  EXPECT_NEAR(static_cast<double>(t.total) * 1e-3, 11072963, 1e-4 * 11072963);
}

// By rounds of distance, α each: the crossbar needs α + (n-1)m/β.
TEST(Contention, DirectOnASwitch) {
  Hardware h = chip();
  h.topology = Topology::switch_;
  const double m = kS / 8 / kBeta;
  expect_time(run(exchange(ring(8), kS), h, Algorithm::direct).total, kAlpha + 7 * m, "all-to-all");
  for (const Op op : {Op::all_gather, Op::reduce_scatter}) {
    expect_time(run(one(op, ring(8), kS), h, Algorithm::direct).total, kAlpha + 7 * m, "gather or scatter");
  }
}

// lg n·α + (n-1)m/β.
TEST(Contention, DoublingAndHalvingOnASwitch) {
  Hardware h = chip();
  h.topology = Topology::switch_;
  for (const Op op : {Op::all_gather, Op::reduce_scatter}) {
    expect_time(run(one(op, ring(16), kS), h, Algorithm::doubling).total, 4 * kAlpha + 15.0 * kS / 16 / kBeta,
                "n=16");
  }
}

// 2(n-1)α + lg n·S/β when no step begins before the last has ended on every device: what the busiest link
// carries. Here a device goes on as soon as it can, and messages of two steps meet in the queues.
TEST(Contention, HalvingDoublingOnARing) {
  const double form = 2 * 15 * kAlpha + 4 * kS / kBeta;
  const Timeline t = run(one(Op::all_reduce, ring(16), kS), chip(), Algorithm::halving_doubling);
  EXPECT_GE(to_seconds(t.total), form);
  EXPECT_LE(to_seconds(t.total), 1.5 * form);
}

// Whole shards, the last one of an even ring from one side: ⌊n/2⌋(α + m/β).
TEST(Contention, WholeShardsOneSideLast) {
  const Timeline t = run(one(Op::all_gather, ring(64), kS), chip(), Algorithm::bidirectional_whole_oneside);
  expect_time(t.total, 32 * (kAlpha + kS / 64 / kBeta), "n=64");
  EXPECT_NEAR(static_cast<double>(t.total) * 1e-3, 687089, 1);
}

// Over both axes in one collective, y first; all-reduce is twice the gather.
TEST(Torus, GathersAndReducesAxisByAxis) {
  struct Case {
    int x, y;
    double gather, reduce;  // ns, of two independent network simulators
  };
  for (const Case& c : {Case{8, 8, 1328206, 2656412}, Case{16, 32, 1362556, 0}, Case{64, 64, 1404850, 0}}) {
    const Mesh m = mesh(fmt::format("x={},y={}", c.x, c.y));
    const double form =
        (c.y - 1) * (kAlpha + kS / (kBeta * c.x * c.y)) + (c.x - 1) * (kAlpha + kS / (kBeta * c.x));
    PartitionSpec both;
    both.dims = {{"x", "y"}};
    SpmdBuilder b("torus", m, {64, 64, 64}, {{"x", "x"}, {"y", "y"}});
    const Value v = b.all_gather(b.all_gather(b.input(ArrayRole::lhs, {kS / 4}, both), "y", 0), "x", 0);
    const auto gather = b.finish(v, ArrayRole::lhs, {kS / 4}, P(""));
    ASSERT_TRUE(gather.ok()) << gather.error().text();
    const Timeline t = run(*gather, chip(), Algorithm::ring, true, false);
    expect_time(t.total, form, "gather");
    EXPECT_NEAR(static_cast<double>(t.total) * 1e-3, c.gather, 1e-6 * c.gather);

    SpmdBuilder s("torus", m, {64, 64, 64}, {{"x", "x"}, {"y", "y"}});
    Value sum = s.input(ArrayRole::lhs, {kS / 4}, P(""));
    sum = s.reduce_scatter(s.reduce_scatter(sum, "x", 0), "y", 0);
    sum = s.all_gather(s.all_gather(sum, "y", 0), "x", 0);
    const auto reduce = s.finish(sum, ArrayRole::lhs, {kS / 4}, P(""));
    ASSERT_TRUE(reduce.ok()) << reduce.error().text();
    const Timeline r = run(*reduce, chip(), Algorithm::ring, true, false);
    expect_time(r.total, 2 * form, "reduce");
    if (c.reduce > 0) {
      EXPECT_NEAR(static_cast<double>(r.total) * 1e-3, c.reduce, 1e-6 * c.reduce);
    }
  }
}

// All but one chunk cross the slowest link, one after the other, by number; the last goes on over fast ones.
// A strategy whose collective spans both axes takes every word that there is for its kind.
TEST(Torus, AGatherOverBothAxesGoesByEveryAlgorithmOfTheTable) {
  const Program program = plan("fsdp.mesh", mesh("row=2,col=4"), {512, 1024, 256});
  for (const AlgorithmRow& row : collective_algorithms()) {
    if (!row.is_for(CollectiveKind::all_gather)) continue;
    const Timeline t = run(program, chip(), row.id);
    ASSERT_EQ(t.schedules.size(), 1U);
    EXPECT_EQ(t.schedules[0].algorithm, row.word);
    EXPECT_EQ(t.schedules[0].schedule->ranks(), 8);
    EXPECT_EQ(t.collectives[0].axis, "row,col");
  }
}

TEST(Schedules, LikeCollectivesShareOneAndAreMadeAgainEqual) {
  const Program program = plan("meshslice.os", mesh("row=2,col=4"), {512, 1024, 256});
  const Timeline t = run(program, chip());
  std::set<const CollectiveSchedule*> different;
  for (const TimedCollective& c : t.schedules) {
    different.insert(c.schedule.get());
    EXPECT_EQ(find_schedule(t, c.instruction), &c);
  }
  EXPECT_GT(t.schedules.size(), different.size());
  EXPECT_EQ(different.size(), 2U);  // over rows, over columns
  EXPECT_EQ(plan_collectives(program, chip(), {}, Algorithm::automatic).value(), t.schedules);
  EXPECT_EQ(find_schedule(t, -1), nullptr);
}

TEST(Overrides, ARingIsAsFastAsItsSlowestLink) {
  const Program program = one(Op::all_gather, ring(8), kS);
  const double m = kS / 8 / kBeta;
  const Timeline t = run_with(program, {{}, {{3, 4, 0.25}}, {}});
  const double slow = 7 * (kAlpha + m / 0.25);
  EXPECT_GE(to_seconds(t.total), slow);
  EXPECT_LE(to_seconds(t.total), slow + 7 * (kAlpha + m));
  EXPECT_EQ(run_with(program, {{}, {{4, 3, 0.25}}, {}}).total, t.total) << "both directions";
  EXPECT_EQ(run_with(program, {{}, {{3, 4, 1}}, {}}), run(program, chip(), Algorithm::ring));
}

// Behind a slow link a message ends α later per hop, not sooner than its last byte can be there.
TEST(Overrides, AMessageIsAsSlowAsItsSlowestLink) {
  SpmdBuilder b("one", ring(8, false), {64, 64, 64}, {{"x", "x"}});
  const Value v = b.shift(b.input(ArrayRole::lhs, {kMiB / 4 * 8}, P("x")), "x", 3);
  Program program = *b.finish(v, ArrayRole::lhs, {kMiB / 4 * 8}, P("x"));
  for (Instruction& i : program.computations[0].instructions) {
    if (i.opcode != Opcode::collective_permute) continue;
    i.permutation = std::make_shared<Permutation>(*Permutation::make({{DeviceId(0), DeviceId(3)}}, 8));
  }
  for (const int64_t slow : {0, 1, 2}) {
    expect_time(run_with(program, {{}, {{slow, slow + 1, 0.5}}, {}}).total, 3 * kAlpha + kMiB / (kBeta / 2),
                fmt::format("link {} is slow", slow));
  }
}

// The message of the broken link goes the other way round, 7 hops, and shares its links with the others of
// the step.
TEST(Overrides, ABrokenLinkOfARingIsGoneRound) {
  const Program program = one(Op::shift, ring(8), kMiB, 1);
  const Timeline t = run_with(program, {{}, {{2, 3, 0}}, {}});
  expect_time(t.total, 7 * kAlpha + kMiB / kBeta, "down, where nobody else goes");
  int64_t relayed = 0;
  for (const DeviceTotals& d : t.totals) relayed += d.bytes_relayed;
  EXPECT_EQ(relayed, 6 * kMiB);
  for (const Event& e : t.events) {
    EXPECT_FALSE(e.device == 2 && t.lanes[static_cast<size_t>(e.lane)].direction > 0)
        << "over the broken link";
  }
}

TEST(Overrides, ABrokenLinkOfALineIsGoneRoundByAnotherAxis) {
  const Mesh m = mesh("x=4,y=3", false);
  SpmdBuilder b("one", m, {64, 64, 64}, {{"x", "x"}, {"y", "y"}});
  const Value v = b.shift(b.input(ArrayRole::lhs, {kMiB / 4 * 4}, P("x")), "x", 1);
  Program program = *b.finish(v, ArrayRole::lhs, {kMiB / 4 * 4}, P("x"));
  for (Instruction& i : program.computations[0].instructions) {
    if (i.opcode != Opcode::collective_permute) continue;
    i.permutation = std::make_shared<Permutation>(*Permutation::make({{DeviceId(0), DeviceId(3)}}, 12));
  }
  // Chip 0 is (0,0), chip 3 is (1,0): along y, along x, back along y.
  expect_time(run_with(program, {{}, {{0, 3, 0}}, {}}).total, 3 * kAlpha + kMiB / kBeta, "three hops");
}

TEST(Overrides, WhatCannotBeIsRefused) {
  const Program line = one(Op::all_gather, ring(4, false), kMiB);
  EXPECT_NE(
      refusal_with(line, {{}, {{1, 2, 0}}, {}}).find("the link 1-2 is broken and no way leads round it"),
      std::string::npos);
  EXPECT_NE(refusal_with(line, {{}, {{0, 3, 0.5}}, {}}).find("chips 0 and 3 have no link"),
            std::string::npos);
  EXPECT_NE(refusal_with(line, {{}, {{0, 9, 0.5}}, {}}).find("there is no chip 9"), std::string::npos);
  EXPECT_NE(refusal_with(line, {{{4, 0.5}}, {}, {}}).find("there is no chip 4"), std::string::npos);
  Hardware h = chip();
  h.topology = Topology::switch_;
  EXPECT_NE(refusal_with(line, {{}, {{0, 1, 0.5}}, {}}, h).find("a port each"), std::string::npos);
  h.topology = Topology::full;
  EXPECT_EQ(refusal_with(line, {{}, {{0, 3, 0.5}}, {}}, h), "");
  EXPECT_NE(refusal_with(line, {{}, {{0, 3, 0}}, {}}, h).find("0-3 is broken"), std::string::npos);
}

// The product of a chip at half speed takes twice as long, launch apart; the others wait or go on.
TEST(Overrides, ASlowChipComputesAndReadsSlowly) {
  const MatmulProblem p{1024, 1024, 1024, ElementType::f32, ElementType::f32};
  Hardware h = chip();
  h.compute.launch_overhead_s = 2e-6;
  const Program program = plan("collective.os", mesh("row=1,col=2"), p);
  const Timeline normal = run(program, h, Algorithm::ring);
  const Timeline slow = run_with(program, {{{1, 0.5}}, {}, {}}, Algorithm::ring, h);
  const double product = 2.0 * 1024 * 1024 * 1024 / 2 / 100e12;
  expect_time(slow.totals[0].compute, product + 2e-6, "chip 0");
  expect_time(slow.totals[1].compute, 2 * product + 2e-6, "chip 1");
  EXPECT_EQ(slow.totals[0].compute, normal.totals[0].compute);
  expect_time(slow.total - normal.total, product, "its half more");
  h.memory.hbm_bytes_per_s = 1e9;
  const Timeline memory = run_with(program, {{{1, 0.5}}, {}, {}}, Algorithm::ring, h);
  expect_time(memory.totals[1].compute - memory.totals[0].compute,
              to_seconds(memory.totals[0].compute) - 2e-6, "HBM at half speed");
}

Hardware cluster(int64_t node) {
  Hardware h = chip();
  h.topology = Topology::two_level;
  h.node_devices = node;
  h.network_bytes_per_s = 25e9;
  h.network_latency_s = 5e-6;
  return h;
}

// A port per device in the node and one to the network: reduce-scatter in the node, all-reduce of what each
// device owns across nodes, all-gather in the node: 2(p-1)(α + S/(pβ)) + 2(k-1)(αₙ + S/(pkβₙ)).
TEST(TwoLevel, HierarchicalAllReduce) {
  for (const auto& [nodes, per] : {std::pair{2, 4}, {4, 4}, {4, 8}}) {
    const Timeline t = run(one(Op::all_reduce, ring(nodes * per), kS), cluster(per), Algorithm::hierarchical);
    const double in_node = 2 * (per - 1) * (kAlpha + kS / (per * kBeta));
    const double across = 2 * (nodes - 1) * (5e-6 + static_cast<double>(kS) / (per * nodes * 25e9));
    expect_time(t.total, in_node + across, fmt::format("{} nodes of {}", nodes, per));
    EXPECT_EQ(t.lanes[2].name, "network");
  }
}

// A slice goes through the network while the next one is summed in its node: of k slices the slower level
// takes all its time, the other that of one slice, once on the way in and once on the way out.
TEST(TwoLevel, SlicesOfAnArrayAreOnBothLevelsAtOnce) {
  constexpr int kNodes = 2, kPer = 4, kSlices = 4;
  Hardware h = cluster(kPer);
  h.link.latency_s = h.network_latency_s = 0;
  const Program program = one(Op::all_reduce, ring(kNodes * kPer), kS);
  const double in_node = (kPer - 1) * kS / (kPer * kBeta);
  for (const double network : {5e9, 100e9}) {
    h.network_bytes_per_s = network;
    const double across = (kNodes - 1) * static_cast<double>(kS) / (kPer * kNodes * network);
    h.link.level_slices = 1;
    expect_time(run(program, h, Algorithm::hierarchical).total, 2 * (in_node + across),
                "one after the other");
    h.link.level_slices = kSlices;
    const double slow = std::max(in_node, across), fast = std::min(in_node, across);
    expect_time(run(program, h, Algorithm::hierarchical).total, 2 * (slow + fast / kSlices), "pipelined");
  }
}

// What the chip says of its node counts where a mesh has more chips than that.
TEST(TwoLevel, ASwitchOfANodeIsTheLowerLevelOfAMeshOfMoreChips) {
  Hardware chip = cluster(8), one_switch = chip;
  chip.topology = one_switch.topology = Topology::switch_;
  one_switch.node_devices.reset();
  const auto time = [](int devices, const Hardware& on) {
    return run(one(Op::all_reduce, ring(devices), kS), on);
  };
  EXPECT_EQ(time(8, chip).total, time(8, one_switch).total);
  EXPECT_EQ(time(40, chip).total, time(40, cluster(8)).total);
  EXPECT_GT(time(40, chip).total, time(40, one_switch).total);
  const auto says = [&](const char* axes) {
    const Mesh mesh = schedule_test::mesh(axes);
    const Timeline t = run(one(Op::all_reduce, mesh, kS), chip);
    return t.assumptions.empty() ? "" : t.assumptions.front();
  };
  EXPECT_EQ(says("gpu=8"), "");
  EXPECT_EQ(says("node=5,gpu=8"),
            "40 chips are 5 nodes of 8: gpu stays within a node, node goes over the network");
  EXPECT_EQ(says("x=40"), "40 chips are 5 nodes of 8: x goes over the network");
  EXPECT_EQ(says("x=3,y=4"),
            "12 chips are 2 nodes of 8: y stays within a node, x goes over the network; "
            "the last node has only 4");
}

TEST(TwoLevel, MessagesUseTheNetworkBetweenNodesOnly) {
  const Program near = one(Op::shift, ring(4), kMiB, 1);
  expect_time(run(near, cluster(4)).total, kAlpha + kMiB / kBeta, "one node");
  expect_time(run(near, cluster(2)).total, 5e-6 + kMiB / 25e9, "two nodes: the slower of port and network");
  const Timeline t = run(one(Op::all_reduce, ring(16), kS), cluster(4));
  for (const Algorithm other :
       {Algorithm::hierarchical, Algorithm::ring, Algorithm::bidirectional, Algorithm::tree}) {
    const Timeline it = run(one(Op::all_reduce, ring(16), kS), cluster(4), other);
    EXPECT_LE(to_seconds(t.total), 1.1 * to_seconds(it.total)) << name(other) << ": " << t.collectives[0].why;
  }
  EXPECT_NE(t.collectives[0].why, "");
}

// A chip's rule about wrapping is said, kept or broken.
TEST(Wraps, AreAssumptionsOfTheTimeline) {
  Hardware h = chip();
  h.torus_wrap_multiple_of = 16;
  EXPECT_NE(run(one(Op::all_gather, ring(8, false), kS), h)
                .assumptions.at(0)
                .find("axis x of 8 is timed as a line"),
            std::string::npos);
  EXPECT_NE(run(one(Op::all_gather, ring(8), kS), h).assumptions.at(0).find("a ring because its wrap is on"),
            std::string::npos);
  EXPECT_TRUE(run(one(Op::all_gather, ring(16), kS), h).assumptions.empty());
  EXPECT_TRUE(run(one(Op::all_gather, ring(2), kS), h).assumptions.empty());
}

}  // namespace
}  // namespace shardscope::schedule_test::topologies_test
