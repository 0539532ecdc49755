// SPDX-License-Identifier: Apache-2.0
// A program with loops is timed as the same program written out, to the picosecond.
#include <algorithm>

#include "engine/program/analysis/written_out.h"
#include "engine/strategies/looped.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test {
namespace {

constexpr int64_t kFewestRounds = 12;

struct Case {
  std::string strategy, mesh;
  MatmulProblem problem;
  StrategyOptions options;
  bool wrap = true;
  double peak = 1e14, latency = kAlpha, bytes_per_s = kBeta;
  ScheduleOptions how;
};

Program with_loops(const Case& c) {
  const auto program =
      plan_looped(**find_strategy(c.strategy), mesh(c.mesh, c.wrap), c.problem, c.options, kFewestRounds);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *program : Program();
}

Hardware chip_of(const Case& c) {
  Hardware h = chip();
  h.compute.peak_flops_per_s = {{ElementType::f32, c.peak}, {ElementType::bf16, 2 * c.peak}};
  h.memory.hbm_bytes_per_s = 1e12;
  h.link.latency_s = c.latency;
  h.link.bytes_per_s = c.bytes_per_s;
  return h;
}

bool has_loop(const Program& program) {
  return std::ranges::any_of(program.entry_computation().instructions,
                             [](const Instruction& i) { return i.opcode == Opcode::while_; });
}

// Whether it could be timed by its loops; then as written out.
bool is_timed_alike(const Case& c, const std::string& what) {
  const Program loops = with_loops(c), flat = plan(c.strategy, mesh(c.mesh, c.wrap), c.problem, c.options);
  EXPECT_TRUE(has_loop(loops)) << what;
  ScheduleOptions how = c.how;
  how.keep_events = false;
  auto by_loops = run_by_loops(loops, chip_of(c), how);
  EXPECT_TRUE(by_loops.ok()) << what << (by_loops.ok() ? "" : by_loops.error().text());
  if (!by_loops.ok() || !*by_loops) return false;
  auto in_full = schedule(flat, chip_of(c), how, {});
  EXPECT_TRUE(in_full.ok()) << what;
  Timeline got = **by_loops, expected = *in_full;
  EXPECT_EQ(got.total, expected.total) << what;
  EXPECT_EQ(got.event_count, expected.event_count) << what;
  for (size_t d = 0; d < expected.totals.size(); ++d) {
    const DeviceTotals &a = got.totals[d], &b = expected.totals[d];
    EXPECT_EQ(a.compute, b.compute) << what << " device " << d;
    EXPECT_EQ(a.comm, b.comm) << what << " device " << d;
    EXPECT_EQ(a.exposed, b.exposed) << what << " device " << d;
    EXPECT_EQ(a.peak_bytes, b.peak_bytes) << what << " device " << d;
  }
  expected.schedules.clear();
  EXPECT_EQ(got, expected) << what;
  return true;
}

// Of the problem, what the steps of a strategy go along.
int64_t& cut_dimension(Case& c) {
  if (c.strategy.ends_with(".os")) return c.problem.k;
  return c.strategy.ends_with(".ls") ? c.problem.n : c.problem.m;
}

// How fast its links are, in which order it works, and now and then a slow chip.
void draw_machine(Picks& pick, Case& c) {
  c.bytes_per_s = pick(1e8, 1e9, kBeta);
  c.how.overlap = pick(true, true, false);
  if (pick(true, false, false))
    c.how.overrides.devices.push_back({pick(int64_t{0}, int64_t{1}), pick(0.5, 0.73)});
}

}  // namespace

TEST(Loops, OfManyKindsAreTimedAsWrittenOut) {
  Picks pick(7);
  int alike = 0, cases = 0;
  for (int k = 0; k < 48; ++k) {
    Case c;
    c.strategy = pick("summa.os", "summa.os", "summa.ls", "summa.rs");
    c.mesh = pick("row=2,col=2", "row=2,col=4", "row=1,col=4", "row=3,col=2", "row=4,col=1");
    c.wrap = pick(true, false);
    const int64_t width = pick(1, 2, 8), panels = pick(96, 144, 240);
    const int64_t other = pick(12, 48, 96, 192);
    c.problem = {other, other, other, ElementType::f32, ElementType::f32};
    cut_dimension(c) = width * panels;
    c.options.block = width;
    c.peak = pick(1e9, 1e10, 1e11, 1e14);
    c.latency = pick(1e-9, 1e-8, kAlpha);
    draw_machine(pick, c);
    const std::string what = c.strategy + " " + c.mesh + " panels=" + std::to_string(panels) + " of " +
                             std::to_string(width) + ", case " + std::to_string(k);
    alike += is_timed_alike(c, what) ? 1 : 0;
    ++cases;
  }
  EXPECT_GT(alike, cases * 3 / 4);  // beside slow chips products may end in another order
}

// Slices wait for a few before them: for products and for scatters that those before made.
TEST(Loops, OfSlicesAreTimedAsWrittenOut) {
  Picks pick(5);
  int alike = 0;
  for (int k = 0; k < 48; ++k) {
    Case c;
    c.strategy = pick("meshslice.os", "meshslice.ls", "meshslice.rs");
    c.mesh = pick("row=2,col=2", "row=2,col=4", "row=1,col=4", "row=3,col=2", "row=4,col=1");
    c.wrap = pick(true, false);
    const int64_t block = pick(1, 2), slices = pick(48, 72, 101), other = pick(24, 48, 96, 192);
    c.problem = {other, other, other, pick(ElementType::f32, ElementType::bf16), ElementType::f32};
    cut_dimension(c) = mesh(c.mesh).device_count() * block * slices;
    c.options.slices = slices;
    c.options.block = block;
    c.options.prefetch = pick(1, 2, 2, 3, 4);
    c.problem.sum = pick(SumType::result, SumType::result, SumType::f32);
    c.peak = pick(1e9, 1e10, 1e11, 1e14);
    c.latency = pick(0.0, 1e-9, 1e-8, kAlpha);
    draw_machine(pick, c);
    const std::string what = c.strategy + " " + c.mesh + " slices=" + std::to_string(slices) + " of " +
                             std::to_string(block) + ", case " + std::to_string(k);
    alike += is_timed_alike(c, what) ? 1 : 0;
  }
  EXPECT_GT(alike, 40);
}

// Later products read what loops before made, some in rounds of their own.
TEST(Loops, OfAChainAreTimedAsWrittenOut) {
  Case c;
  c.strategy = "chain.meshslice";
  c.options.slices = 32;
  c.options.block = 2;
  c.peak = 1e10;
  for (const char* on : {"row=2,col=2", "row=2,col=4", "row=3,col=2"}) {
    c.mesh = on;
    const int64_t size = 64 * mesh(on).device_count();
    for (const SumType sum : {SumType::result, SumType::f32}) {
      c.problem = {size, size, size, ElementType::bf16, ElementType::f32, sum};
      EXPECT_TRUE(is_timed_alike(c, c.mesh + (sum == SumType::f32 ? " sums in f32" : "")));
    }
  }
}

TEST(Loops, AreTheirTextAndTheSameWorkWrittenOut) {
  for (const char* strategy : {"summa.os", "summa.ls", "summa.rs", "meshslice.os", "meshslice.ls",
                               "meshslice.rs", "chain.meshslice"}) {
    Case c;
    c.strategy = strategy;
    c.mesh = "row=2,col=4";
    c.problem = {256, 256, 256, ElementType::f32, ElementType::f32};
    c.options.block = 2;
    c.options.slices = 16;
    const Program loops = with_loops(c), flat = plan(c.strategy, mesh(c.mesh), c.problem, c.options);
    ASSERT_TRUE(has_loop(loops)) << strategy;
    const auto read = parse_program(print_program(loops));
    ASSERT_TRUE(read.ok()) << read.error().text();
    EXPECT_EQ(*read, loops) << strategy;
    const auto out = written_out(loops);
    ASSERT_TRUE(out.ok()) << out.error().text();
    EXPECT_EQ(run(*out).total, run(flat).total) << strategy;
    EXPECT_EQ(run(*out).event_count, run(flat).event_count) << strategy;
    EXPECT_EQ(run(*out).totals, run(flat).totals) << strategy;
  }
}

TEST(Loops, ThatOvertakeOrMeetNoTimeAreTimedAsWrittenOut) {
  Case c;
  c.strategy = "summa.os";
  c.mesh = "row=2,col=2";
  c.problem = {64, 256, 64, ElementType::f32, ElementType::f32};
  c.options.block = 1;
  c.latency = 0;
  EXPECT_TRUE(is_timed_alike(c, "messages that pass a link in no time"));
  c.latency = kAlpha;
  EXPECT_TRUE(is_timed_alike(c, "messages that take their time"));
  c.how.overlap = false;
  EXPECT_TRUE(is_timed_alike(c, "in program order"));
}

// The sums of Y take longer than the panels of W: they fall ever further behind, and those that pass a device
// meet its own.
TEST(Loops, WhoseSumsFallBehindAreTimedAsWrittenOut) {
  for (const char* strategy : {"summa.ls", "summa.rs"}) {
    Case c;
    c.strategy = strategy;
    c.mesh = "row=2,col=4";
    c.wrap = false;
    c.problem = {512, 512, 512, ElementType::f32, ElementType::f32};
    c.options.block = 4;
    c.bytes_per_s = 1e9;
    EXPECT_TRUE(is_timed_alike(c, strategy));
    c.how.overlap = false;
    EXPECT_TRUE(is_timed_alike(c, std::string(strategy) + " in program order"));
  }
}

TEST(Loops, OnSlowLinksPortsAndChipsThatDifferAreTimedAsWrittenOut) {
  Case c;
  c.strategy = "summa.ls";
  c.mesh = "row=2,col=2";
  c.problem = {64, 64, 256, ElementType::f32, ElementType::f32};
  c.options.block = 1;
  c.peak = 1e10;
  c.how.overrides.links.push_back({0, 1, 0.3});
  EXPECT_TRUE(is_timed_alike(c, "a slow link"));
  c.how.overrides.devices.push_back({1, 0.73});
  c.how.overlap = false;
  EXPECT_TRUE(is_timed_alike(c, "a slow link and a slow chip, in program order"));
}

// 2^63 ps are 106 days.
TEST(Loops, ThatTakeLongerThanPicosecondsCountAreRefused) {
  Case c;
  c.strategy = "summa.os";
  c.mesh = "row=2,col=4";
  c.problem = {1024, 1024, 1024, ElementType::f32, ElementType::f32};
  c.options.block = 8;
  for (const double days : {53., 103., 105., 213., 40000.}) {
    c.peak = c.problem.flops() / 8 / (days * 24 * 3600);
    const auto by_loops = run_by_loops(with_loops(c), chip_of(c), c.how);
    const auto in_full =
        schedule(plan(c.strategy, mesh(c.mesh), c.problem, c.options), chip_of(c), c.how, {});
    EXPECT_EQ(by_loops.ok(), days < 104) << days;
    EXPECT_EQ(in_full.ok(), days < 104) << days;
    if (days < 104) continue;
    EXPECT_EQ(by_loops.error().text(), in_full.error().text());
    EXPECT_EQ(
        in_full.error().text(),
        "its products take more than 105 days of simulated time, longer than is counted; say smaller sizes");
  }
}

TEST(Loops, ThatAreSeenToTakeTooLongAreGivenUp) {
  Case c;
  c.strategy = "summa.ls";
  c.mesh = "row=2,col=4";
  c.problem = {512, 512, 512, ElementType::f32, ElementType::f32};
  c.options.block = 4;
  c.bytes_per_s = 1e9;
  const Program loops = with_loops(c);
  c.how.keep_events = false;
  const auto all = run_by_loops(loops, chip_of(c), c.how);
  ASSERT_TRUE(all.ok() && *all);
  for (const Picoseconds enough : {(*all)->total - 1, (*all)->total / 2, Picoseconds{0}}) {
    c.how.enough = enough;
    const auto given_up = run_by_loops(loops, chip_of(c), c.how);
    ASSERT_TRUE(given_up.ok() && *given_up);
    EXPECT_GT((*given_up)->total, enough);
  }
  c.how.enough = (*all)->total;
  const auto same = run_by_loops(loops, chip_of(c), c.how);
  ASSERT_TRUE(same.ok() && *same);
  EXPECT_EQ(**same, **all);
}

}  // namespace shardscope::schedule_test
