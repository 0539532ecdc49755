// SPDX-License-Identifier: Apache-2.0
// Steps that all ranks begin together are played in one go, and come to what message after message comes to.
#include "engine/schedule/events/lockstep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/hardware/fabric.h"
#include "engine/schedule/retiming.h"
#include "engine/schedule/simulator.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::lockstep_test {
namespace {

using Algorithm = CollectiveAlgorithm;

Timeline timed(const Program& program, const Hardware& hardware, ScheduleOptions options, bool keep_events) {
  options.keep_events = keep_events;
  options.one_for_all = false;
  auto timeline = schedule(program, hardware, options, {});
  EXPECT_TRUE(timeline.ok()) << (timeline.ok() ? "" : timeline.error().text());
  return timeline.ok() ? *timeline : Timeline();
}

// Where single events may take no time, each is played by itself.
ScheduleOptions one_by_one(ScheduleOptions options) {
  EventKey none;
  none.instruction = -1;
  options.untimed.events = {none};
  return options;
}

void expect_same(const Program& program, const Hardware& hardware, const ScheduleOptions& options,
                 const std::string& where) {
  for (const bool keep_events : {true, false}) {
    const Timeline single = timed(program, hardware, one_by_one(options), keep_events);
    const Timeline together = timed(program, hardware, options, keep_events);
    EXPECT_EQ(together.total, single.total) << where;
    EXPECT_EQ(together.event_count, single.event_count) << where;
    EXPECT_EQ(together.totals, single.totals) << where;
    EXPECT_EQ(together.critical_path, single.critical_path) << where;
    EXPECT_TRUE(together == single) << where;
  }
}

// Messages played in lockstep.
int64_t in_lockstep(const Program& program, const Hardware& hardware, const ScheduleOptions& options) {
  const Fabric fabric = Fabric::make(program.mesh, hardware, options.overrides).value();
  const WorkPlan works = plan_work(program, hardware, fabric, options).value();
  EventRecorder recorder(fabric.devices(), false, 0, nullptr);
  Simulator simulator(works, fabric, options.overlap, recorder, nullptr);
  EXPECT_TRUE(simulator.run({}, {}).ok());
  return recorder.counted_together();
}

// All steps but the last one of a ring go so.
TEST(Lockstep, ARingIsPlayedStepByStep) {
  ScheduleOptions options;
  options.collective = Algorithm::ring;
  const Program ring = one(Op::all_gather, mesh("x=64"), 64 * 1024);
  EXPECT_EQ(in_lockstep(ring, chip(), options), 64 * 62);
  expect_same(ring, chip(), options, "ring of 64");
  // Of bytes that do not divide, messages differ.
  const Program uneven = one(Op::all_reduce, mesh("x=64"), 4 * 1001);
  EXPECT_EQ(in_lockstep(uneven, chip(), options), 0);
  // A slow link lets its neighbours begin later than others.
  options.overrides.links.push_back({0, 1, 0.5});
  EXPECT_EQ(in_lockstep(ring, chip(), options), 0);
}

// What begins beside the first step keeps that one from going so, not those that follow.
TEST(Lockstep, BeginsAfterAStepThatWasNotAlone) {
  SpmdBuilder b("beside", mesh("y=2,x=32"), {64, 64, 64}, {});
  const Value in = b.input(ArrayRole::lhs, {32 * 1024}, P(""));
  const Value sum = b.all_reduce(in, "x");
  const Program program = b.finish(sum + b.shift(in, "y", 1), ArrayRole::lhs, {32 * 1024}, P("")).value();
  ScheduleOptions options;
  options.collective = Algorithm::ring;
  EXPECT_EQ(in_lockstep(program, chip(), options), 64 * 60);  // of 62 steps all but the first and last
  expect_same(program, chip(), options, "a ring beside a shift");
}

TEST(Lockstep, EveryAlgorithmComesToTheSame) {
  int64_t together = 0;
  for (const char* text : {"x=16", "x=31", "x=64", "x=32,y=3", "y=4,x=16"}) {
    for (const Topology topology : {Topology::torus, Topology::switch_, Topology::full}) {
      for (const Algorithm algorithm :
           {Algorithm::ring, Algorithm::bidirectional, Algorithm::bidirectional_whole,
            Algorithm::bidirectional_whole_oneside, Algorithm::bruck}) {
        for (const Op op : {Op::all_gather, Op::reduce_scatter, Op::all_reduce}) {
          for (const bool overlap : {true, false}) {
            Hardware hardware = chip();
            hardware.topology = topology;
            ScheduleOptions options;
            options.collective = algorithm;
            options.overlap = overlap;
            const Program program = one(op, mesh(text), 31 * 16 * 64 * 1024);
            if (!schedule(program, hardware, options, {}).ok()) continue;
            together += in_lockstep(program, hardware, options);
            expect_same(program, hardware, options,
                        fmt::format("{} {} {} {}", text, name(algorithm), static_cast<int>(op),
                                    static_cast<int>(topology)));
          }
        }
      }
    }
  }
  EXPECT_GT(together, 200'000);
}

// What else is under way takes links of the ring, or keeps them until after a step should begin.
TEST(Lockstep, EndsWhereSomethingElseWantsALink) {
  const auto with_others = [](int64_t shifted, int64_t distance) {
    SpmdBuilder b("two", mesh("x=32"), {64, 64, 64}, {{"x", "x"}});
    const Value a = b.input(ArrayRole::lhs, {32 * 1024}, P("x"));
    const Value c = b.input(ArrayRole::rhs, {32 * shifted}, P("x"));
    const Value moved = b.shift(b.shift(c, "x", distance), "x", distance);
    const Value sum = b.add(b.all_gather(moved, "x", 0), b.zeros({32 * shifted}));
    const Value all = b.all_gather(a, "x", 0);
    return b.finish(b.concatenate({all, sum}, 0), ArrayRole::lhs, {32 * 1024 + 32 * shifted}, P("")).value();
  };
  int64_t together = 0;
  for (const int64_t shifted : {1, 7, 1024, 5000, 1 << 18}) {
    for (const int64_t distance : {1, 3}) {
      for (const bool overlap : {true, false}) {
        for (const Algorithm algorithm : {Algorithm::ring, Algorithm::bidirectional}) {
          const Program program = with_others(shifted, distance);
          ScheduleOptions options;
          options.collective = algorithm;
          options.overlap = overlap;
          together += in_lockstep(program, chip(), options);
          expect_same(program, chip(), options, fmt::format("{} by {}", shifted, distance));
        }
      }
    }
  }
  EXPECT_GT(together, 0);
}

TEST(Lockstep, StrategiesOnBigMeshes) {
  int64_t together = 0;
  Hardware hardware = chip();
  hardware.memory.hbm_bytes_per_s = 819e9;
  for (const Strategy& strategy : strategies()) {
    for (const char* text : {"row=16,col=4", "x=4,y=16", "row=8,col=8"}) {
      const auto program =
          strategy.plan(mesh(text), {2048, 2048, 2048, ElementType::bf16, ElementType::bf16}, {});
      if (!program.ok()) continue;
      for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::ring}) {
        ScheduleOptions options;
        options.collective = algorithm;
        if (!schedule(*program, hardware, options, {}).ok()) continue;
        together += in_lockstep(*program, hardware, options);
        expect_same(*program, hardware, options, fmt::format("{} {}", strategy.id, text));
      }
    }
  }
  EXPECT_GT(together, 10'000);
}

}  // namespace
}  // namespace shardscope::schedule_test::lockstep_test
