// SPDX-License-Identifier: Apache-2.0
// Devices that do the same, played once for all of them: totals are those of the play of all.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/hardware/fabric.h"
#include "engine/schedule/parts/class_play.h"
#include "engine/schedule/retiming.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::classes_test {
namespace {

using Algorithm = CollectiveAlgorithm;

struct Case {
  Program program;
  Hardware hardware = chip();
  ScheduleOptions options;
};

// How many classes there are at the end; 0: it is not told.
size_t classes(const Case& c) {
  const Fabric fabric = Fabric::make(c.program.mesh, c.hardware, c.options.overrides).value();
  const WorkPlan plan = plan_work(c.program, c.hardware, fabric, c.options).value();
  ClassPlay play(plan, {c.program.mesh, c.hardware, c.options.overrides, fabric, c.options.overlap}, {});
  const auto told = play.run();
  EXPECT_TRUE(told.ok());
  return told.ok() && *told ? play.classes().size() : 0;
}

// Totals, with each device's, as the play of all devices has them.
void expect_same(Case c, const std::string& where) {
  c.options.keep_events = false;
  c.options.one_for_all = false;
  const auto all = schedule(c.program, c.hardware, c.options, {});
  c.options.one_for_all = true;
  const auto quick = schedule(c.program, c.hardware, c.options, {});
  ASSERT_TRUE(all.ok() && quick.ok()) << where;
  EXPECT_EQ(quick->total, all->total) << where;
  EXPECT_EQ(quick->event_count, all->event_count) << where;
  EXPECT_EQ(quick->totals, all->totals) << where;
  EXPECT_EQ(quick->critical_path, all->critical_path) << where;
  EXPECT_EQ(quick->collectives, all->collectives) << where;
  EXPECT_EQ(*quick, *all) << where;
}

Mesh wrapped(const std::string& text, unsigned wraps) {
  std::vector<MeshAxis> axes = Mesh::parse(text)->axes();
  for (size_t a = 0; a < axes.size(); ++a) axes[a].wrap = (wraps >> a & 1) != 0;
  return *Mesh::make(axes, {});
}

constexpr MatmulProblem kProblem{1152, 1152, 1152, ElementType::bf16, ElementType::bf16};

Hardware real_chip() {
  Hardware h = chip();
  h.memory.hbm_bytes_per_s = 819e9;
  return h;
}

TEST(Classes, ASlowDeviceIsOneOfItsOwn) {
  Case c{plan("collective.os", mesh("row=8,col=8"), {2048, 2048, 2048}), real_chip(), {}};
  EXPECT_EQ(classes(c), 1u);
  c.options.overrides.devices = {{9, 0.5}};
  EXPECT_EQ(classes(c), 2u);
  expect_same(c, "one slow device");
  c.options.overrides.devices = {{9, 0.5}, {20, 0.5}, {63, 0.9}};
  EXPECT_EQ(classes(c), 3u);
  expect_same(c, "three slow devices of two speeds");
}

// What waits for it is late by how far away it is; other rows are not.
TEST(Classes, ASlowDeviceHoldsUpItsRow) {
  Case c{plan("megatron.row", mesh("row=6,col=8"), {2304, 2304, 2304}), real_chip(), {}};
  c.options.overrides.devices = {{9, 0.5}};
  const size_t found = classes(c);
  EXPECT_GT(found, 2u);
  EXPECT_LT(found, 48u);
  expect_same(c, "a row behind a slow device");
}

// Products and collectives of which one has another's result at once: a reduce-scatter, then an all-gather.
TEST(Classes, ABlockBesideASlowDevice) {
  Case c{plan("transformer.block", mesh("row=6,col=8"), {2304, 2304, 2304}), real_chip(), {}};
  c.options.overrides.devices = {{9, 0.5}};
  const size_t found = classes(c);
  EXPECT_GT(found, 2u);
  EXPECT_LT(found, 48u);
  expect_same(c, "a block");
  c.options.overlap = false;
  EXPECT_GT(classes(c), 2u);
  expect_same(c, "a block in program order");
}

TEST(Classes, RowsOfAnOpenMeshAreAlike) {
  const Case c{one(Op::all_reduce, mesh("y=6,x=8", false), kMiB * 6), chip(), {}};
  EXPECT_LE(classes(c), 8u);
  EXPECT_GE(classes(c), 4u);
  expect_same(c, "lines");
}

TEST(Classes, ASlowLinkIsFelt) {
  Case c{one(Op::all_reduce, mesh("y=6,x=8"), kMiB * 6), chip(), {}};
  c.options.overrides.links = {{8, 9, 0.5}};
  EXPECT_GT(classes(c), 1u);
  EXPECT_LE(classes(c), 9u);
  expect_same(c, "a slow link");
}

TEST(Classes, WhatCannotBeToldIsPlayed) {
  Case c{one(Op::all_gather, mesh("y=4,x=4", false, {1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}),
             kMiB),
         chip(),
         {}};
  EXPECT_EQ(classes(c), 0u);
  expect_same(c, "chips in an order of their own");
  c.program = one(Op::all_gather, mesh("y=4,x=4", false), kMiB);
  c.options.overrides.links = {{0, 1, 0}};
  EXPECT_EQ(classes(c), 0u);
  expect_same(c, "a broken link");
  c.options.overrides = {};
  c.hardware.link.latency_s = 0;
  EXPECT_EQ(classes(c), 0u);
  expect_same(c, "messages that take no time");
}

TEST(Classes, EveryStrategyOnOpenAndClosedMeshesWithSlowChipsAndLinks) {
  int told = 0, several = 0, all = 0;
  for (const Strategy& strategy : strategies()) {
    for (const char* text : {"row=4,col=4", "row=3,col=6", "x=4,y=2,z=3"}) {
      for (const unsigned wraps : {0u, 1u, 7u}) {
        const Mesh m = wrapped(text, wraps);
        const auto program = strategy.plan(m, kProblem, {});
        if (!program.ok()) continue;
        for (int slow = 0; slow < 3; ++slow) {
          Case c{*program, real_chip(), {}};
          if (slow == 1) c.options.overrides.devices = {{5, 0.5}};
          if (slow == 2) c.options.overrides.links = {{0, 1, 0.7}};
          const size_t found = classes(c);
          ++all;
          told += found > 0 ? 1 : 0;
          several += found > 1 && found < static_cast<size_t>(m.device_count()) ? 1 : 0;
          expect_same(c, fmt::format("{} on {}, wraps {}, slow {}", strategy.id, text, wraps, slow));
          if (HasFailure()) return;
        }
      }
    }
  }
  EXPECT_GT(told, all / 3);
  EXPECT_GT(several, all / 5);
}

TEST(Classes, EveryAlgorithmInProgramOrderAndOverlapped) {
  int told = 0;
  for (const unsigned wraps : {0u, 1u, 3u}) {
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::ring, Algorithm::bidirectional,
                                      Algorithm::direct, Algorithm::tree, Algorithm::bruck}) {
      for (const bool overlap : {true, false}) {
        SpmdBuilder b("two", wrapped("x=5,y=4", wraps), {64, 64, 64}, {});
        const Value in = b.input(ArrayRole::lhs, {960 * 20, 8}, P("y"));
        const Value shifted = b.relu(b.shift(b.shift(in, "y", 1), "x", 2));
        const Value gathered = b.all_gather(b.relu(b.all_reduce(in, "x")), "y", 0);
        const Value sum =
            b.all_gather(b.reduce_scatter(b.all_gather(shifted, "y", 0) + gathered, "x", 0), "x", 0);
        const auto program = b.finish(sum, ArrayRole::lhs, {960 * 20, 8}, P(""));
        ASSERT_TRUE(program.ok()) << program.error().text();
        Case c{*program, real_chip(), {}};
        c.options.collective = algorithm;
        c.options.overlap = overlap;
        c.options.overrides.devices = {{7, 0.8}};
        told += classes(c) > 0 ? 1 : 0;
        expect_same(c, fmt::format("{}, wraps {}, overlap {}", name(algorithm), wraps, overlap));
      }
    }
  }
  EXPECT_GT(told, 12);
}

// A device may be told what it has by a collective's last step, and begins in the past then: what overlaps
// counts.
TEST(Classes, OverlapCountsWhereWorkBeganBeforeThatWasKnown) {
  SpmdBuilder b("late", wrapped("x=8", 0), {64, 64, 64}, {});
  const Value x = b.input(ArrayRole::lhs, {6720, 8}, P("")), w = b.input(ArrayRole::rhs, {6720, 8}, P(""));
  const Value once = b.relu(b.broadcast(b.all_to_all(w, "x", 0), "x", 0));
  b.relu(b.relu(once));
  const auto program = b.finish(b.all_reduce(x, "x") + once, ArrayRole::lhs, {6720, 8}, P(""));
  ASSERT_TRUE(program.ok()) << program.error().text();
  Case c{*program, chip(), {}};
  c.hardware.memory.hbm_bytes_per_s = 100e9;
  c.hardware.link.bytes_per_s = 1e9;
  c.hardware.link.latency_s = 1e-12;
  c.hardware.link.launch_overhead_s = 1e-6;
  c.options.overrides.links = {{2, 3, 0.7}};
  expect_same(c, "totals");
  c.options.one_for_all = false;
  const Timeline all = schedule(c.program, c.hardware, c.options, {}).value();
  Picoseconds beside_own = 0;  // of the first device, which has one link
  for (const Event& e : all.events)
    for (const Event& sent : all.events)
      if (e.device == 0 && sent.device == 0 && e.kind == EventKind::compute &&
          sent.kind == EventKind::transfer)
        beside_own += std::max<Picoseconds>(0, std::min(e.end, sent.end) - std::max(e.start, sent.start));
  EXPECT_GT(beside_own, 0);
  EXPECT_GE(all.totals[0].comm - all.totals[0].exposed, beside_own);
}

// When a device knows of its operand before it has it must not change since when its part of a result takes
// room.
TEST(Classes, MemoryIsTheSameWhicheverIsKnownFirst) {
  const Mesh mesh = wrapped("x=3,y=5", 1);
  const Strategy& strategy = *find_strategy("moe.expert_parallel").value();
  for (const double hbm : {1e18, 819e9, 100e9, 20e9}) {
    for (const double launch : {0.0, 2e-6}) {
      Case c{strategy.plan(mesh, {5760, 2880, 5760, ElementType::bf16, ElementType::bf16}, {}).value(),
             chip(),
             {}};
      c.hardware.memory.hbm_bytes_per_s = hbm;
      c.hardware.link.bytes_per_s = 1e9;
      c.hardware.link.latency_s = 1e-9;
      c.hardware.compute.launch_overhead_s = launch;
      expect_same(c, fmt::format("hbm {}, launch {}", hbm, launch));
    }
  }
}

// Of more events than are kept totals are told without playing all devices.
TEST(Classes, TooManyEventsToKeep) {
  Case c{one(Op::all_reduce, mesh("y=8,x=8", false), kMiB), chip(), {}};
  c.options.most_events = 1000;
  c.options.one_for_all = false;
  const Timeline all = schedule(c.program, c.hardware, c.options, {}).value();
  c.options.one_for_all = true;
  EXPECT_EQ(schedule(c.program, c.hardware, c.options, {}).value(), all);
  c.options.most_events = all.event_count;
  EXPECT_EQ(schedule(c.program, c.hardware, c.options, {})->events.size(),
            static_cast<size_t>(all.event_count));
}

}  // namespace
}  // namespace shardscope::schedule_test::classes_test
