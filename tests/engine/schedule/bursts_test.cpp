// SPDX-License-Identifier: Apache-2.0
// Exchanges over ports, of which a rank's messages are played in one go, and for all devices along an axis on
// which they are alike, come to what message after message of every device comes to.
#include "engine/schedule/events/bursts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/hardware/fabric.h"
#include "engine/schedule/simulator.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::bursts_test {
namespace {

using Algorithm = CollectiveAlgorithm;

Hardware ports() {
  Hardware hardware = chip();
  hardware.topology = Topology::switch_;
  return hardware;
}

Timeline timed(const Program& program, const Hardware& hardware, ScheduleOptions options) {
  options.keep_events = false;
  options.one_for_all = false;
  auto timeline = schedule(program, hardware, options, {});
  EXPECT_TRUE(timeline.ok()) << (timeline.ok() ? "" : timeline.error().text());
  return timeline.ok() ? *timeline : Timeline();
}

// How many messages go together.
int64_t sent_together(const Program& program, const Hardware& hardware, const ScheduleOptions& options) {
  const Fabric fabric = Fabric::make(program.mesh, hardware, options.overrides).value();
  const WorkPlan works = plan_work(program, hardware, fabric, options).value();
  EventRecorder recorder(fabric.devices(), false, 0, nullptr);
  Simulator simulator(works, fabric, options.overlap, recorder, nullptr);
  EXPECT_TRUE(simulator.run({}, {}).ok());
  return recorder.sent_together();
}

// Where single events may take no time, each is played by itself. How many went together otherwise.
int64_t expect_same(const Program& program, const Hardware& hardware, const ScheduleOptions& options,
                    const std::string& where) {
  ScheduleOptions one_by_one = options;
  EventKey none;
  none.instruction = -1;
  one_by_one.untimed.events = {none};
  EXPECT_EQ(sent_together(program, hardware, one_by_one), 0) << where;
  const Timeline single = timed(program, hardware, one_by_one), together = timed(program, hardware, options);
  EXPECT_EQ(together.total, single.total) << where;
  EXPECT_EQ(together.event_count, single.event_count) << where;
  EXPECT_EQ(together.totals, single.totals) << where;
  EXPECT_EQ(together.critical_path, single.critical_path) << where;
  EXPECT_EQ(together.collectives, single.collectives) << where;
  EXPECT_TRUE(together == single) << where;
  // Of devices that differ along one axis alone one is played for all along the others.
  ScheduleOptions quick = options;
  quick.keep_events = false;
  const auto one_for_all = schedule(program, hardware, quick, {});
  EXPECT_TRUE(one_for_all.ok()) << where;
  EXPECT_EQ(one_for_all->total, single.total) << where;
  EXPECT_EQ(one_for_all->event_count, single.event_count) << where;
  EXPECT_EQ(one_for_all->totals, single.totals) << where;
  EXPECT_EQ(one_for_all->critical_path, single.critical_path) << where;
  EXPECT_TRUE(*one_for_all == single) << where;
  return sent_together(program, hardware, options);
}

TEST(Bursts, AllThatARankSendsGoesTogether) {
  ScheduleOptions options;
  options.collective = Algorithm::direct;
  const Program scatter = one(Op::reduce_scatter, mesh("x=16"), 16 * 1024);
  // The first message of each rank, when it may be that others ask, and then its 14 others.
  EXPECT_EQ(expect_same(scatter, ports(), options, "a reduce-scatter"), 16 * 14);
  // A ring has no more than one message at a time, and pairs of chips have links of their own.
  options.collective = Algorithm::ring;
  EXPECT_EQ(expect_same(scatter, ports(), options, "a ring"), 0);
  Hardware full = ports();
  full.topology = Topology::full;
  options.collective = Algorithm::direct;
  EXPECT_EQ(expect_same(scatter, full, options, "links of pairs"), 0);
  options.overlap = false;
  EXPECT_EQ(expect_same(scatter, ports(), options, "in program order"), 0);
}

// What a ring that began before sends in later steps goes between the messages of an exchange.
TEST(Bursts, LaterStepsOfARingComeInBetween) {
  const auto beside = [](int64_t scattered, Algorithm of_gather) {
    SpmdBuilder b("two", mesh("x=16"), {64, 64, 64}, {{"x", "x"}});
    const Value a = b.input(ArrayRole::lhs, {16 * 1024}, P("x"));
    const Value c = b.input(ArrayRole::rhs, {16 * scattered}, P(""));
    const Value all = b.all_gather(a, "x", 0);
    const Value some = b.reduce_scatter(b.add(c, c), "x", 0);
    Program program =
        b.finish(b.concatenate({all, some}, 0), ArrayRole::lhs, {16 * 1024 + scattered}, P("")).value();
    for (Instruction& i : program.computations[static_cast<size_t>(program.entry.value)].instructions)
      if (i.opcode == Opcode::all_gather) i.algorithm = name(of_gather);
    return program;
  };
  ScheduleOptions options;
  options.collective = Algorithm::direct;
  Hardware hardware = ports();
  hardware.memory.hbm_bytes_per_s = 1e11;  // the sum takes a while
  for (const int64_t scattered : {64, 256, 1024, 4096}) {
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::bruck, Algorithm::direct}) {
      expect_same(beside(scattered, algorithm), hardware, options,
                  fmt::format("{} elements beside {}", scattered, name(algorithm)));
    }
  }
}

// Scatters along an axis let its devices differ, those along the other one are alike: as many are played.
TEST(Bursts, DevicesThatDifferAlongAnAxisArePlayedForTheOthers) {
  const MatmulProblem problem{4096, 4096, 4096, ElementType::bf16, ElementType::bf16};
  StrategyOptions cut;
  cut.slices = 4;
  const Program program = plan("meshslice.rs", mesh("x=8,y=4"), problem, cut);
  ScheduleOptions options;
  options.collective = Algorithm::direct;
  const Fabric fabric = Fabric::make(program.mesh, ports()).value();
  const WorkPlan works = plan_work(program, ports(), fabric, options).value();
  std::vector<size_t> played;
  for (const std::optional<int> still : {std::optional<int>(), std::optional(0), std::optional(1)}) {
    const auto symmetry = Symmetry::find(program.mesh, fabric, works, still);
    ASSERT_TRUE(symmetry);
    EventRecorder recorder(fabric.devices(), false, 0, &*symmetry);
    Simulator simulator(works, fabric, true, recorder, &*symmetry);
    ASSERT_TRUE(simulator.run({}, {}).ok());
    if (!simulator.one_stood_for_its_class()) continue;
    played.push_back(symmetry->played().size());
    EXPECT_GT(recorder.sent_together(), 0);
  }
  EXPECT_EQ(played, std::vector<size_t>{8});
  expect_same(program, ports(), options, "meshslice.rs");
}

TEST(Bursts, EveryStrategyComesToTheSame) {
  constexpr MatmulProblem kProblem{1152, 1152, 1152, ElementType::bf16, ElementType::bf16};
  int64_t together = 0;
  Picks pick(7);
  for (const Strategy& strategy : strategies()) {
    for (const char* text : {"x=8,y=2", "x=4,y=4", "x=3,y=8"}) {
      for (const Algorithm algorithm :
           {Algorithm::automatic, Algorithm::direct, Algorithm::ring, Algorithm::tree, Algorithm::bruck}) {
        StrategyOptions cut;
        if (std::ranges::find(strategy.options, "slices") != strategy.options.end())
          cut.slices = pick(2, 4, 12);
        const auto program = strategy.plan(mesh(text), kProblem, cut);
        if (!program.ok()) continue;
        ScheduleOptions options;
        options.collective = algorithm;
        Hardware hardware = ports();
        hardware.memory.hbm_bytes_per_s = pick(819e9, 5e10);
        hardware.link.bytes_per_s = pick(kBeta, 4e9);
        hardware.link.launch_overhead_s = pick(0.0, 3e-6);
        hardware.compute.launch_overhead_s = pick(0.0, 1e-6);
        // On every other chip rounding a product costs nothing.
        if (pick(0, 1) == 1) hardware.calibration.emplace();
        if (!schedule(*program, hardware, options, {}).ok()) continue;
        together += expect_same(*program, hardware, options,
                                fmt::format("{} on {} by {}", strategy.id, text, name(algorithm)));
      }
    }
  }
  EXPECT_GT(together, 40'000);
}

}  // namespace
}  // namespace shardscope::schedule_test::bursts_test
