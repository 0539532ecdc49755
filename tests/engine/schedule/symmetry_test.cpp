// SPDX-License-Identifier: Apache-2.0
// One device played for all gives the timeline of the full simulation, event by event.
#include "engine/plan/symmetry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/hardware/fabric.h"
#include "engine/schedule/retiming.h"
#include "engine/schedule/simulator.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::symmetry_test {
namespace {

using Algorithm = CollectiveAlgorithm;

Timeline timed(const Program& program, const Hardware& hardware, ScheduleOptions options, bool one_for_all) {
  options.one_for_all = one_for_all;
  auto timeline = schedule(program, hardware, options, {});
  EXPECT_TRUE(timeline.ok()) << (timeline.ok() ? "" : timeline.error().text());
  return timeline.ok() ? *timeline : Timeline();
}

bool is_symmetric(const Program& program, const Hardware& hardware) {
  const Fabric fabric = Fabric::make(program.mesh, hardware).value();
  return Symmetry::find(program.mesh, fabric, plan_work(program, hardware, fabric, {}).value()).has_value();
}

// How many devices are played, one of each class.
size_t classes(const Program& program, const Hardware& hardware = chip()) {
  const Fabric fabric = Fabric::make(program.mesh, hardware).value();
  const WorkPlan works = plan_work(program, hardware, fabric, {}).value();
  const auto symmetry = Symmetry::find(program.mesh, fabric, works);
  return symmetry ? symmetry->played().size() : static_cast<size_t>(fabric.devices());
}

// The first axis is open, the others are rings.
Mesh open_first(const std::string& text) {
  std::vector<MeshAxis> axes = Mesh::parse(text)->axes();
  axes[0].wrap = false;
  return *Mesh::make(axes, {});
}

// A collective over several axes; instead of a shift an all-to-all.
Program over_axes(Op op, const Mesh& m, const std::vector<std::string>& axes) {
  SpmdBuilder b("several", m, {64, 64, 64}, {});
  const int64_t rows = 1440 * m.device_count();
  PartitionSpec split;
  split.dims = {axes};
  const bool whole = op == Op::reduce_scatter || op == Op::all_reduce;
  const Value in = b.input(ArrayRole::lhs, {rows}, whole ? P("") : split);
  const Value out = op == Op::all_gather       ? b.all_gather(in, axes, 0)
                    : op == Op::reduce_scatter ? b.reduce_scatter(in, axes, 0)
                    : op == Op::all_reduce     ? b.all_reduce(in, axes)
                                               : b.all_to_all(in, axes, 0);
  const bool stays = op == Op::reduce_scatter || op == Op::shift;
  auto program = b.finish(out, ArrayRole::lhs, {rows}, stays ? split : P(""));
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return *std::move(program);
}

// Whether one device is played for all of them, to the end.
bool one_stands_for_all(const Program& program, const ScheduleOptions& options) {
  const Fabric fabric = Fabric::make(program.mesh, chip()).value();
  const WorkPlan works = plan_work(program, chip(), fabric, options).value();
  const auto symmetry = Symmetry::find(program.mesh, fabric, works);
  if (!symmetry || symmetry->played().size() > 1) return false;
  EventRecorder recorder(fabric.devices(), false, 0, &*symmetry);
  Simulator simulator(works, fabric, true, recorder, &*symmetry);
  const auto told = simulator.run({}, {});
  EXPECT_TRUE(told.ok());
  return told.ok() && *told;
}

// Field by field, so that a failure says where; the events' own equality is the last word.
void expect_same(const Timeline& one, const Timeline& all, const std::string& where) {
  EXPECT_EQ(one.total, all.total) << where;
  EXPECT_EQ(one.event_count, all.event_count) << where;
  EXPECT_EQ(one.totals, all.totals) << where;
  EXPECT_EQ(one.critical_path, all.critical_path) << where;
  EXPECT_EQ(one.memory, all.memory) << where;
  EXPECT_EQ(one.buffers, all.buffers) << where;
  EXPECT_EQ(one.collectives, all.collectives) << where;
  ASSERT_EQ(one.events.size(), all.events.size()) << where;
  for (size_t i = 0; i < one.events.size(); ++i) {
    const Event& a = one.events[i];
    const Event& b = all.events[i];
    ASSERT_EQ(a, b) << where << ": event " << i << " at " << a.start << "/" << b.start << " device "
                    << a.device << "/" << b.device << " lane " << a.lane << "/" << b.lane << " chunk "
                    << a.chunk << "/" << b.chunk << " peer " << a.peer << "/" << b.peer << " cause "
                    << a.cause << "/" << b.cause;
  }
  EXPECT_EQ(one, all) << where;
}

TEST(Symmetry, RingsOfAllSizes) {
  for (const int n : {2, 3, 4, 8, 9, 64}) {
    for (const Algorithm algorithm :
         {Algorithm::ring, Algorithm::bidirectional, Algorithm::bidirectional_whole}) {
      for (const Op op : {Op::all_gather, Op::reduce_scatter, Op::all_reduce}) {
        const Program program = one(op, mesh(fmt::format("x={}", n)), 2 * 9 * 64 * 1024);
        ScheduleOptions options;
        options.collective = algorithm;
        const std::string where = fmt::format("{} n={}", name(algorithm), n);
        expect_same(timed(program, chip(), options, true), timed(program, chip(), options, false), where);
        options.overlap = false;
        expect_same(timed(program, chip(), options, true), timed(program, chip(), options, false), where);
      }
    }
  }
}

TEST(Symmetry, FiveHundredAndTwelveDevices) {
  const Program ring = one(Op::all_reduce, mesh("x=512"), kMiB);
  ScheduleOptions options;
  options.collective = Algorithm::ring;
  EXPECT_TRUE(is_symmetric(ring, chip()));
  expect_same(timed(ring, chip(), options, true), timed(ring, chip(), options, false), "ring of 512");

  Hardware h = chip();
  h.memory.hbm_bytes_per_s = 819e9;
  const MatmulProblem problem{4096, 4096, 4096, ElementType::bf16, ElementType::bf16};
  const Program product = plan("collective.os", mesh("row=16,col=32"), problem);
  EXPECT_TRUE(is_symmetric(product, h));
  expect_same(timed(product, h, {}, true), timed(product, h, {}, false), "16x32");
}

TEST(Symmetry, ChipsInAnotherOrderThatIsATurnOrAMirrorImage) {
  for (const std::vector<int32_t>& order :
       {std::vector<int32_t>{3, 4, 5, 6, 7, 0, 1, 2}, std::vector<int32_t>{7, 6, 5, 4, 3, 2, 1, 0},
        std::vector<int32_t>{0, 3, 6, 1, 4, 7, 2, 5}}) {
    const Program program = one(Op::all_gather, mesh("x=8", true, order), kMiB);
    ScheduleOptions options;
    options.collective = Algorithm::bidirectional;
    EXPECT_TRUE(is_symmetric(program, chip()));
    expect_same(timed(program, chip(), options, true), timed(program, chip(), options, false),
                fmt::format("chip {} first", order[0]));
  }
  EXPECT_FALSE(is_symmetric(one(Op::all_gather, mesh("x=8", true, {1, 0, 2, 3, 4, 5, 6, 7}), kMiB), chip()));
}

TEST(Symmetry, EveryStrategyThatIsSymmetric) {
  int symmetric = 0;
  for (const Strategy& strategy : strategies()) {
    for (const char* text : {"row=2,col=4", "row=4,col=4", "row=8,col=8", "x=4,y=4"}) {
      for (const Topology topology :
           {Topology::torus, Topology::switch_, Topology::full, Topology::two_level}) {
        const Mesh m = mesh(text);
        const auto program = strategy.plan(m, {2048, 2048, 2048, ElementType::bf16, ElementType::bf16}, {});
        if (!program.ok()) continue;
        Hardware h = chip();
        h.topology = topology;
        if (topology == Topology::two_level) h.node_devices = 4;
        h.network_latency_s = 5e-6;
        h.network_bytes_per_s = 25e9;
        h.memory.hbm_bytes_per_s = 819e9;
        symmetric += is_symmetric(*program, h) ? 1 : 0;
        expect_same(timed(*program, h, {}, true), timed(*program, h, {}, false),
                    fmt::format("{} on {}, {}", strategy.id, text, name(topology)));
        if (HasFatalFailure()) break;
      }
    }
  }
  EXPECT_GT(symmetric, 50);
}

// A lane that must choose between messages of several devices: the full simulation decides.
TEST(Symmetry, QueuesThatChooseByDeviceAreSeen) {
  for (const int64_t distance : {2, 5, 8}) {
    const Program program = one(Op::shift, mesh("x=16"), kMiB, distance);
    expect_same(timed(program, chip(), {}, true), timed(program, chip(), {}, false),
                fmt::format("by {}", distance));
  }
}

// The colours of a torus share links: which goes first is the same on every device.
TEST(Symmetry, ColoursThatShareALinkAreServedAlike) {
  for (const char* text :
       {"x=2,y=2", "x=2,y=4", "x=6,y=2", "x=4,y=4", "x=3,y=5", "x=2,y=3,z=4", "x=2,y=2,z=2"}) {
    const Mesh m = mesh(text);
    std::vector<std::string> axes;
    for (const MeshAxis& axis : m.axes()) axes.push_back(axis.name);
    for (const Op op : {Op::all_gather, Op::reduce_scatter, Op::all_reduce, Op::shift}) {
      for (const Algorithm algorithm :
           {Algorithm::torus, Algorithm::torus_bidirectional, Algorithm::hierarchical}) {
        if (op == Op::shift && algorithm == Algorithm::hierarchical) continue;
        const Program program = over_axes(op, m, axes);
        ScheduleOptions options;
        options.collective = algorithm;
        const std::string where = fmt::format("{} {} on {}", static_cast<int>(op), name(algorithm), text);
        expect_same(timed(program, chip(), options, true), timed(program, chip(), options, false), where);
        if (HasFatalFailure()) return;
        EXPECT_TRUE(one_stands_for_all(program, options)) << where;
      }
    }
  }
}

TEST(Symmetry, OpenAxesSlowChipsAndLinksAreNotSymmetric) {
  EXPECT_FALSE(is_symmetric(one(Op::all_gather, mesh("x=8", false), kMiB), chip()));
  EXPECT_TRUE(is_symmetric(one(Op::all_gather, mesh("x=2", false), kMiB), chip()));
  ScheduleOptions options;
  options.overrides.links = {{0, 1, 0.5}};
  const Program program = one(Op::all_gather, mesh("x=8"), kMiB);
  EXPECT_GT(timed(program, chip(), options, true).total, timed(program, chip(), {}, true).total);
  // Chunks of unequal size make ranks unequal.
  EXPECT_FALSE(is_symmetric(one(Op::all_reduce, mesh("x=8"), 4 * 1001), chip()));
}

TEST(Symmetry, DevicesAlongAnOpenAxisAreClassesOfTheirOwn) {
  const MatmulProblem problem{4096, 4096, 4096, ElementType::bf16, ElementType::bf16};
  EXPECT_EQ(classes(plan("collective.os", open_first("row=4,col=8"), problem)), 4u);
  EXPECT_EQ(classes(plan("collective.os", mesh("row=4,col=8"), problem)), 1u);
  EXPECT_EQ(classes(plan("collective.os", mesh("row=4,col=8", false), problem)), 32u);
  // Nothing goes along the axis that is open.
  EXPECT_EQ(classes(one(Op::all_gather, mesh("y=5,x=6", false), kMiB * 6)), 6u);
  EXPECT_EQ(classes(one(Op::shift, open_first("y=5,x=6"), kMiB)), 5u);
  // Uneven chunks make ranks of x differ, those of y do not.
  EXPECT_EQ(classes(one(Op::all_reduce, mesh("y=5,x=8"), 4 * 1001)), 8u);
}

TEST(Symmetry, EveryStrategyWithAnOpenAxis) {
  int partly = 0;
  for (const Strategy& strategy : strategies()) {
    for (const char* text : {"row=4,col=4", "row=3,col=6", "x=4,y=2,z=3"}) {
      const Mesh m = open_first(text);
      const auto program = strategy.plan(m, {1152, 1152, 1152, ElementType::bf16, ElementType::bf16}, {});
      if (!program.ok()) continue;
      Hardware h = chip();
      h.memory.hbm_bytes_per_s = 819e9;
      const size_t played = classes(*program, h);
      partly += played > 1 && played < static_cast<size_t>(m.device_count()) ? 1 : 0;
      expect_same(timed(*program, h, {}, true), timed(*program, h, {}, false),
                  fmt::format("{} on {}", strategy.id, text));
    }
  }
  EXPECT_GT(partly, 20);
}

// Collectives of every algorithm along the open axis and along a ring that runs across it at the same time.
TEST(Symmetry, EveryAlgorithmBesideAnOpenAxis) {
  const Mesh m = open_first("x=5,y=4");
  int partly = 0;
  for (const Topology topology : {Topology::torus, Topology::switch_}) {
    Hardware h = chip();
    h.topology = topology;
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::ring, Algorithm::bidirectional,
                                      Algorithm::direct, Algorithm::tree, Algorithm::bruck}) {
      for (const int64_t distance : {1, 2, 3}) {
        SpmdBuilder b("two", m, {64, 64, 64}, {});
        const Value in = b.input(ArrayRole::lhs, {960 * 20, 8}, P("y"));
        const Value shifted = b.shift(b.shift(in, "y", distance), "x", distance);
        const Value gathered = b.all_gather(b.all_reduce(in, "x"), "y", 0);
        const Value sum = b.all_reduce(b.all_gather(shifted, "y", 0) + gathered, "x");
        const auto program = b.finish(sum, ArrayRole::lhs, {960 * 20, 8}, P(""));
        ASSERT_TRUE(program.ok()) << program.error().text();
        partly += classes(*program, h) == 5 ? 1 : 0;
        ScheduleOptions options;
        options.collective = algorithm;
        expect_same(timed(*program, h, options, true), timed(*program, h, options, false),
                    fmt::format("{} by {} on {}", name(algorithm), distance, name(topology)));
      }
    }
  }
  EXPECT_GE(partly, 18);
}

// 33.5 M events if every device were played.
TEST(Symmetry, FourThousandDevices) {
  ScheduleOptions options;
  options.collective = Algorithm::ring;
  const Timeline t = timed(one(Op::all_reduce, mesh("x=4096"), 64 * kMiB), chip(), options, true);
  expect_time(t.total, 2 * 4095 * (kAlpha + 64.0 * kMiB / 4096 / kBeta), "4096");
  EXPECT_EQ(t.event_count, int64_t{4096} * 2 * 4095);
  EXPECT_TRUE(t.events.empty());
  ASSERT_EQ(t.assumptions.size(), 1u);
  EXPECT_NE(t.assumptions[0].find("totals only"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::schedule_test::symmetry_test
