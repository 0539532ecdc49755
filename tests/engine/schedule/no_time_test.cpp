// SPDX-License-Identifier: Apache-2.0
// What a device does in no time holds nobody up: it is done when it is ready, whatever its lane does.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/hardware/fabric.h"
#include "engine/schedule/parts/class_play.h"
#include "engine/schedule/retiming.h"
#include "engine/strategies/looped.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::no_time_test {
namespace {

// On which products are rounded for nothing.
Hardware calibrated_chip() {
  Hardware h = chip();
  h.calibration.emplace();
  return h;
}

constexpr int kRanks = 8;
constexpr int64_t kSlices = 8, kSide = 4096;
constexpr MatmulProblem kProblem{kSide, kSide, kSide, ElementType::bf16, ElementType::f32};

Program sliced() {
  StrategyOptions options;
  options.slices = kSlices;
  options.block = 8;
  return plan("meshslice.rs", mesh(fmt::format("row={},col=1", kRanks)), kProblem, options);
}

Picoseconds product(const Hardware& h) {
  return Picoseconds(2.0 * kSide * kSide * kSide / kRanks / kSlices /
                     h.compute.peak_flops_per_s.at(ElementType::bf16) * 1e12);
}

bool takes_no_time(const Event& e) {
  return e.end == e.start;
}

// All products are ready from the start. Each slice is scattered as soon as it is there: its sum travels
// while the next slice is multiplied, so all there is to it is the first product and the scatters.
TEST(NoTime, ASliceIsScatteredWhileTheNextIsMultiplied) {
  const Hardware hardware = calibrated_chip();
  const Timeline t = run(sliced(), hardware, CollectiveAlgorithm::ring);
  const double part = 2.0 * kSide * kSide / kSlices / kRanks;  // bytes
  const double scatter = (kRanks - 1) * (kAlpha + part / kBeta);
  ASSERT_GT(scatter, to_seconds(product(hardware)));
  expect_time(t.total, to_seconds(product(hardware)) + kSlices * scatter, "total");
  EXPECT_NEAR(summarise(t).overlap.value(),
              (kSlices - 1) * to_seconds(product(hardware)) / (kSlices * scatter), 1e-6);
}

TEST(NoTime, RoundingStandsInTheTimelineAtTheEndOfItsProduct) {
  const Hardware hardware = calibrated_chip();
  const Timeline t = run(sliced(), hardware, CollectiveAlgorithm::ring);
  std::vector<Picoseconds> until(kRanks, 0);  // by device: the end of its last product so far
  int rounded = 0;
  for (const Event& e : t.events) {
    if (e.kind != EventKind::compute) continue;
    Picoseconds& last = until[static_cast<size_t>(e.device)];
    if (takes_no_time(e)) {
      ++rounded;
      ASSERT_GE(e.cause, 0);
      EXPECT_EQ(t.events[static_cast<size_t>(e.cause)].end, e.start);
      EXPECT_EQ(t.events[static_cast<size_t>(e.cause)].device, e.device);
    } else {
      EXPECT_EQ(e.start, last) << "products follow each other";
      last = e.end;
    }
  }
  EXPECT_EQ(rounded, kSlices * kRanks);
  for (const DeviceTotals& d : t.totals)
    EXPECT_NEAR(to_seconds(d.compute), kSlices * to_seconds(product(hardware)), 1e-11);
  Picoseconds at = 0;
  for (const int32_t e : t.critical_path.events) {
    EXPECT_LE(t.events[static_cast<size_t>(e)].start, at);
    at = t.events[static_cast<size_t>(e)].end;
  }
  EXPECT_EQ(at, t.total);
}

// One device for all, one of each class, all of them.
TEST(NoTime, EveryPlayTellsTheSame) {
  for (const char* strategy : {"meshslice.rs", "collective.rs", "ring.matmul_rs", "wang.rs.osplit",
                               "summa.rs", "megatron.row", "transformer.block"}) {
    for (const bool wrap : {true, false}) {
      for (const bool overlap : {true, false}) {
        const Program program = plan(strategy, mesh("row=4,col=4", wrap),
                                     {1152, 1152, 1152, ElementType::bf16, ElementType::f32});
        ScheduleOptions options;
        options.overlap = overlap;
        options.keep_events = false;
        const Timeline quick = schedule(program, calibrated_chip(), options, {}).value();
        options.one_for_all = false;
        EXPECT_EQ(quick, schedule(program, calibrated_chip(), options, {}).value())
            << fmt::format("{}, wraps {}, overlap {}", strategy, wrap, overlap);
      }
    }
  }
}

TEST(NoTime, DevicesThatRoundForNothingAreAlike) {
  const Program program = plan("collective.rs", mesh("row=6,col=8"), {2304, 2304, 2304, ElementType::bf16});
  const Hardware hardware = calibrated_chip();
  ScheduleOptions options;
  options.overrides.devices = {{9, 0.5}};
  const Fabric fabric = Fabric::make(program.mesh, hardware, options.overrides).value();
  const WorkPlan plan = plan_work(program, hardware, fabric, options).value();
  ASSERT_TRUE(std::ranges::any_of(
      plan.works, [](const Work& it) { return it.kind == WorkKind::compute && it.cost.total() == 0; }));
  ClassPlay play(plan, {program.mesh, hardware, options.overrides, fabric, true}, {});
  const auto told = play.run();
  ASSERT_TRUE(told.ok() && *told);
  EXPECT_GT(play.classes().size(), 1U);
  options.one_for_all = false;
  options.keep_events = false;
  const Timeline all = schedule(program, hardware, options, {}).value();
  EXPECT_EQ(play.last().time, all.total);
  EXPECT_EQ(play.event_count(), all.event_count);
}

TEST(NoTime, LoopsAreTimedAsWrittenOut) {
  int answered = 0;
  Picks pick(7);
  for (int k = 0; k < 60; ++k) {
    const std::string strategy = pick("meshslice.rs", "meshslice.ls", "summa.rs", "summa.ls");
    const int64_t rounds = pick(48, 72, 101), block = pick(1, 8);
    const Mesh m = mesh(pick("row=2,col=2", "row=4,col=1", "row=2,col=4"), pick(true, false));
    MatmulProblem p{192, 192, 192, ElementType::bf16, ElementType::f32};
    (strategy.ends_with(".ls") ? p.n : p.m) = rounds * block * m.device_count();
    StrategyOptions options;
    options.block = block;
    if (strategy.starts_with("mesh")) options.slices = rounds;
    Hardware hardware = calibrated_chip();
    hardware.topology = pick(Topology::torus, Topology::switch_, Topology::full);
    hardware.compute.peak_flops_per_s = {{ElementType::bf16, pick(1e10, 1e12, 1e14)}};
    hardware.link.bytes_per_s = pick(1e9, 50e9);
    ScheduleOptions how;
    how.keep_events = false;
    how.overlap = pick(true, true, false);
    if (pick(true, false)) how.overrides.devices = {{1, 0.73}};
    const Strategy& of = **find_strategy(strategy);
    const auto looped = plan_looped(of, m, p, options, 12);
    const auto flat = of.plan(m, p, options);
    ASSERT_TRUE(looped.ok() && flat.ok());
    const auto loops = run_by_loops(*looped, hardware, how);
    ASSERT_TRUE(loops.ok());
    if (!*loops) continue;
    ++answered;
    Timeline got = **loops, expected = schedule(*flat, hardware, how, {}).value();
    expected.schedules.clear();
    EXPECT_EQ(got, expected) << fmt::format("{} on {}, {} rounds", strategy, m.device_count(), rounds);
  }
  EXPECT_GT(answered, 40);
}

// A chain of works that are left out is done one after the other, however long it is.
TEST(NoTime, AChainOfManyWorksTakesNone) {
  constexpr int kMany = 60'000;
  SpmdBuilder b("chain", mesh("x=2"), {64, 64, 64}, {});
  Value v = b.input(ArrayRole::lhs, {64, 8}, P(""));
  for (int i = 0; i < kMany; ++i) v = b.relu(v);
  const auto program = b.finish(v, ArrayRole::lhs, {64, 8}, P(""));
  ASSERT_TRUE(program.ok());
  ScheduleOptions options;
  const auto& all = program->entry_computation().instructions;
  for (size_t i = 0; i < all.size(); ++i) options.untimed.instructions.emplace_back(static_cast<int64_t>(i));
  options.one_for_all = false;
  const Hardware hardware = calibrated_chip();
  const auto t = schedule(*program, hardware, options, {});
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->total, 0);
  EXPECT_EQ(t->event_count, 2 * kMany);
}

}  // namespace
}  // namespace shardscope::schedule_test::no_time_test
