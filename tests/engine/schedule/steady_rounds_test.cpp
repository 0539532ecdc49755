// SPDX-License-Identifier: Apache-2.0
// Loops in a steady state are timed by a few of their rounds, to the picosecond as all of them played.
#include "engine/plan/loops/loop_buffers.h"
#include "engine/schedule/loops/written_rounds.h"
#include "engine/strategies/looped.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test {
namespace {

constexpr int64_t kRounds = 24;

struct Loop {
  std::string strategy = "summa.rs", mesh = "row=2,col=2";
  bool wrap = true;
  int64_t panels = 480, width = 8, other = 480;
  ElementType dtype = ElementType::f32;
  double peak = 1e9, hbm = 1e12;
  Topology topology = Topology::torus;
  double latency = kAlpha, bytes_per_s = kBeta;
  ScheduleOptions how;
};

Hardware chip_of(const Loop& c) {
  Hardware h = chip();
  h.topology = c.topology;
  h.compute.peak_flops_per_s = {{ElementType::f32, c.peak}, {ElementType::bf16, 2 * c.peak}};
  h.memory.hbm_bytes_per_s = c.hbm;
  h.link.latency_s = c.latency;
  h.link.bytes_per_s = c.bytes_per_s;
  return h;
}

Program with_loops(const Loop& c) {
  MatmulProblem p{c.other, c.other, c.other, c.dtype, ElementType::f32};
  (c.strategy == "summa.os" ? p.k : c.strategy == "summa.ls" ? p.n : p.m) = c.width * c.panels;
  StrategyOptions options;
  options.block = c.width;
  auto program = plan_looped(**find_strategy(c.strategy), mesh(c.mesh, c.wrap), p, options, 12);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *std::move(program) : Program();
}

// Whether it comes to a steady state; then all that was summed is as if all rounds had been played.
bool is_steady(const Loop& c, const std::string& what) {
  const Program program = with_loops(c);
  const Hardware hardware = chip_of(c);
  const auto fabric = Fabric::make(program.mesh, hardware, c.how.overrides);
  EXPECT_TRUE(fabric.ok()) << what;
  FastestAlgorithms fastest;
  const auto planned = plan_loops(program, hardware, *fabric, c.how, fastest, {});
  EXPECT_TRUE(planned.ok() && *planned) << what;
  if (!planned.ok() || !*planned) return false;
  const LoopPlan& loops = **planned;
  const std::vector<RoundBuffer> buffers = buffers_of(loops);
  if (!are_read(loops, buffers, ReadBy::one_way)) return false;
  const RoundsRequest asked{loops, *fabric, buffers, c.how};
  const auto few = play_steadily(asked, kRounds, {});
  EXPECT_TRUE(few.ok()) << what;
  if (!few.ok() || !*few) return false;
  const auto all = play_rounds(asked, WrittenRounds(loops), {});
  EXPECT_TRUE(all.ok() && *all) << what;
  const RoundsPlayed &got = **few, &expected = **all;
  EXPECT_TRUE(got.last.end.ties_with(expected.last.end))
      << what << ": " << got.last.end.time << ", " << expected.last.end.time;
  EXPECT_EQ(got.events, expected.events) << what;
  EXPECT_EQ(got.bytes_sent, expected.bytes_sent) << what;
  EXPECT_EQ(got.devices, expected.devices) << what;
  return true;
}

}  // namespace

// Sums are rounded after the next product, which was ready before them: no lane serves one round after the
// other.
TEST(SteadyRounds, WhoseWorksOvertakeEachOtherAreTimedAsAllOfThem) {
  for (const char* strategy : {"summa.ls", "summa.rs"}) {
    Loop c;
    c.strategy = strategy;
    c.dtype = ElementType::bf16;
    c.mesh = "row=2,col=4";
    EXPECT_TRUE(is_steady(c, strategy));
    c.wrap = false;
    EXPECT_TRUE(is_steady(c, std::string(strategy) + ", open"));
  }
}

TEST(SteadyRounds, InProgramOrderOnPortsAndPairsAreTimedAsAllOfThem) {
  for (const Topology topology : {Topology::torus, Topology::switch_, Topology::full}) {
    Loop c;
    c.topology = topology;
    c.how.overlap = false;
    EXPECT_TRUE(is_steady(c, std::string("in program order on ") + name(topology)));
    c.how.overlap = true;
    c.dtype = ElementType::bf16;
    EXPECT_TRUE(is_steady(c, name(topology)));
  }
}

TEST(SteadyRounds, WithMessagesThatTakeNoTimeAreTimedAsAllOfThem) {
  Loop c;
  c.strategy = "summa.os";
  c.latency = 0;
  EXPECT_TRUE(is_steady(c, "no latency"));
}

// Sums that fall ever further behind come to none; nor do products of a chip that is ahead of the others.
TEST(SteadyRounds, AreNotSeenWhereRoundsFallBehind) {
  Loop c;
  c.strategy = "summa.ls";
  c.mesh = "row=2,col=4";
  c.wrap = false;
  c.width = 4;
  c.other = 512;
  c.bytes_per_s = 1e9;
  c.peak = 1e14;
  EXPECT_FALSE(is_steady(c, "sums behind"));
}

// Behind a slow link panels come late, and those of several rounds are on their way at a time.
TEST(SteadyRounds, BehindASlowLinkAreTimedAsAllOfThem) {
  std::vector<MeshAxis> axes = Mesh::parse("row=2,col=8")->axes();
  axes[0].wrap = false;
  StrategyOptions panels;
  panels.block = 8;
  const Strategy& strategy = **find_strategy("summa.os");
  const MatmulProblem p{192, 8 * 240, 192, ElementType::bf16, ElementType::f32};
  const auto looped = plan_looped(strategy, *Mesh::make(axes), p, panels, 12);
  const auto flat = strategy.plan(*Mesh::make(axes), p, panels);
  ASSERT_TRUE(looped.ok() && flat.ok());
  Loop c;
  c.peak = 1e11;
  c.latency = 1e-6;
  c.bytes_per_s = 1e9;
  Hardware hardware = chip_of(c);
  hardware.compute.launch_overhead_s = 1e-6;
  c.how.collective = CollectiveAlgorithm::ring;
  c.how.overrides.links = {{0, 1, 0.3}};
  c.how.keep_events = false;
  const auto by_loops = run_by_loops(*looped, hardware, c.how);
  const auto in_full = schedule(*flat, hardware, c.how, {});
  ASSERT_TRUE(by_loops.ok() && in_full.ok());
  if (!*by_loops) return;  // products end in another order
  EXPECT_EQ((*by_loops)->total, in_full->total);
  EXPECT_EQ((*by_loops)->totals, in_full->totals);
}

TEST(SteadyRounds, OfManyKindsAreTimedAsAllOfThem) {
  Picks pick(11);
  int steady = 0, beside_slow = 0;
  for (int k = 0; k < 160; ++k) {
    Loop c;
    c.strategy = pick("summa.os", "summa.ls", "summa.rs");
    c.mesh = pick("row=2,col=2", "row=2,col=4", "row=1,col=4", "row=3,col=2", "row=4,col=1");
    c.wrap = pick(true, false);
    c.width = pick(1, 2, 8);
    c.panels = pick(144, 240, 480);
    c.other = pick(24, 48, 96, 192);
    c.dtype = pick(ElementType::f32, ElementType::bf16);
    c.topology = pick(Topology::torus, Topology::torus, Topology::full, Topology::switch_);
    c.peak = pick(1e9, 1e10, 1e11, 1e14);
    c.hbm = pick(1e10, 1e12);
    c.latency = pick(0.0, 1e-9, 1e-8, kAlpha);
    c.bytes_per_s = pick(1e8, 1e9, kBeta);
    c.how.overlap = pick(true, true, false);
    const bool slow = pick(true, false);
    if (slow) c.how.overrides.devices.push_back({pick(int64_t{0}, int64_t{1}), pick(0.5, 0.73)});
    if (slow && c.topology == Topology::torus) c.how.overrides.links.push_back({0, 1, pick(0.3, 0.9)});
    const bool is = is_steady(c, c.strategy + " " + c.mesh + ", case " + std::to_string(k));
    steady += is ? 1 : 0;
    beside_slow += is && slow ? 1 : 0;
  }
  EXPECT_GT(steady, 30);
  EXPECT_GT(beside_slow, 3);
}

}  // namespace shardscope::schedule_test
