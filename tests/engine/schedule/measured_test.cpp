// SPDX-License-Identifier: Apache-2.0
// Times of chips that were measured against formulas written out: launch + steps · step + W / rate + c·S^γ of
// a collective, waves of tiles, launches, synchronised rounds.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/collectives/measured_pace.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/text/hlo_text.h"
#include "engine/schedule/retiming.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::measured_test {
namespace {

using Algorithm = CollectiveAlgorithm;
constexpr int64_t kS = 24 * kMiB;
constexpr double kLaunch = 25e-6, kStep = 1.5e-6, kRate = 300e9, kC = 2e-9, kGamma = 0.5;

LinkOp row(const std::string& kind, std::optional<int64_t> group = {}) {
  return {kind, group, kLaunch, kStep, kRate, LinkOp::Ramp{kC, kGamma}, false};
}
Hardware measured(std::vector<LinkOp> ops, Topology topology = Topology::switch_) {
  Hardware h = chip();
  h.topology = topology;
  h.link.launch_overhead_s = 1e-6;
  h.link.efficiency = 0.5;  // not of what was measured
  h.link.ops = std::move(ops);
  return h;
}
Mesh line(int n) {
  return mesh(fmt::format("x={}", n));
}
double ramp(double bytes) {
  return kC * std::pow(bytes, kGamma);
}

// Each message rounds up to a picosecond.
void expect_closed_form(Picoseconds got, double want_s, int steps, const std::string& what) {
  EXPECT_NEAR(static_cast<double>(got), want_s * 1e12, 3.0 * steps + 3) << what;
}

TEST(Measured, RingsOnASwitchTakeLaunchStepsRateAndRamp) {
  for (const int n : {2, 4, 8}) {
    const double part = static_cast<double>(n - 1) / n * kS;
    const auto time = [&](Op op, const char* kind) {
      const Timeline t = run(one(op, line(n), kS), measured({row(kind, n)}));
      if (op == Op::shift) return t.total;
      EXPECT_EQ(t.collectives.at(0).algorithm, "ring") << kind;
      EXPECT_NE(t.collectives.at(0).why.find("was measured on test-chip"), std::string::npos);
      return t.total;
    };
    expect_closed_form(time(Op::all_gather, "all-gather"),
                       kLaunch + (n - 1) * kStep + part / kRate + ramp(kS), n, "all-gather");
    expect_closed_form(time(Op::reduce_scatter, "reduce-scatter"),
                       kLaunch + (n - 1) * kStep + part / kRate + ramp(kS), n, "reduce-scatter");
    expect_closed_form(time(Op::all_reduce, "all-reduce"),
                       kLaunch + 2 * (n - 1) * kStep + 2 * part / kRate + ramp(kS), 2 * n, "all-reduce");
    expect_closed_form(time(Op::shift, "collective-permute"), kLaunch + kStep + kS / kRate + ramp(kS), 1,
                       "permute");
  }
}

// Devices of nodes of 8 with a network card each.
Hardware nodes_of_8(double network_bytes_per_s) {
  Hardware h =
      measured({row("all-gather", 8), row("reduce-scatter", 8), row("all-reduce", 8), row("all-to-all", 8)});
  h.node_devices = 8;
  h.network_bytes_per_s = network_bytes_per_s;
  h.network_efficiency = 0.8;
  h.network_latency_s = 7e-6;
  h.link.level_slices = 8;  // a row says by itself how much goes at once
  return h;
}

// Rings leave a node by all of its cards, and trees do: the longer of what a node takes by its row and of
// what its cards take for (n − 1)/n of the array, or for a sum on two nodes for the array once.
TEST(Measured, BetweenNodesNodeAndNetworkGoAtOnce) {
  for (const double card : {10e9, 200e9}) {
    const Hardware h = nodes_of_8(card);
    for (const int nodes : {2, 4}) {
      const int n = 8 * nodes;
      const double cards = 8 * card * 0.8, share = (n - 1.0) / n;
      const auto time = [&](Op op) {
        const Timeline t = run(one(op, line(n), kS), h);
        EXPECT_EQ(t.collectives.at(0).algorithm, "hierarchical");
        EXPECT_NE(t.collectives.at(0).why.find("within nodes"), std::string::npos) << t.collectives[0].why;
        return t.total;
      };
      const double near = kS * 7.0 / 8 / kRate + ramp(kS), far = share * kS / cards;
      const double steps = 7 * kStep + (nodes - 1) * 7e-6;
      expect_closed_form(time(Op::all_gather), kLaunch + steps + std::max(near, far), n, "all-gather");
      expect_closed_form(time(Op::reduce_scatter), kLaunch + steps + std::max(near, far), n,
                         "reduce-scatter");
      const double sums =
          std::max(2 * 7.0 / 8 * kS / kRate + ramp(kS), (nodes == 2 ? 1 : 2 * share) * kS / cards);
      expect_closed_form(time(Op::all_reduce), kLaunch + 2 * steps + sums, 2 * n, "all-reduce");
    }
  }
}

// Links that are made faster are that where what was measured is stretched, too.
TEST(Measured, BetweenNodesAFasterNetworkIsFaster) {
  const Program sum = one(Op::all_gather, line(16), kS);
  ScheduleOptions twice;
  twice.overrides.axes.push_back({"network", 2});
  const auto slow = schedule(sum, nodes_of_8(10e9), {}, {}),
             fast = schedule(sum, nodes_of_8(10e9), twice, {}),
             built = schedule(sum, nodes_of_8(20e9), {}, {});
  ASSERT_TRUE(slow.ok() && fast.ok() && built.ok());
  EXPECT_LT(fast->total, slow->total);
  EXPECT_NEAR(static_cast<double>(fast->total), static_cast<double>(built->total), 100);
}

Program rounded_product(const char* between) {
  const auto program = parse_program(
      fmt::format("HloModule m\nENTRY e {{\n a = bf16[64,32] parameter(0)\n b = bf16[32,64] parameter(1)\n"
                  " d = f32[64,64] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n{}"
                  " ROOT r = bf16[64,64] convert(s)\n}}\n",
                  between));
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return *program;
}

TEST(Measured, AProductIsWrittenRoundedUnlessEachOperationIsAKernel) {
  const Hardware chip = measured({});
  const auto total = [&](const char* between, std::optional<CompileAs> as) {
    ScheduleOptions options;
    options.module.compile_as = as;
    return schedule(rounded_product(between), chip, options, {}).value().total;
  };
  const Picoseconds write = memory_time(chip, 64 * 64 * (4 + 2)).value();
  const char* slices = " s = f32[64,64] reshape(d)\n";
  EXPECT_EQ(total(slices, CompileAs::none) - total(slices, {}), write);
  const char* sine = " s = f32[64,64] sine(d)\n";
  EXPECT_EQ(total(sine, CompileAs::none), total(sine, CompileAs::xla_gpu)) << "of a library's product";
  EXPECT_GT(total(sine, CompileAs::none), total(sine, CompileAs::xla_tpu));
}

Program exchange(int n) {
  const int64_t rows = kS / 4 / n;
  std::string devices;
  for (int d = 0; d < n; ++d) devices += fmt::format("{}{}", d == 0 ? "" : ",", d);
  const auto program = parse_program(fmt::format(
      "HloModule m, num_partitions={0}\nENTRY e {{\n p = f32[{0},{1}] parameter(0)\n"
      " ROOT a = f32[{0},{1}] all-to-all(p), channel_id=1, replica_groups={{{{{2}}}}}, dimensions={{0}}, "
      "use_global_device_ids=true\n}}\n",
      n, rows, devices));
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *program : Program();
}

TEST(Measured, AnExchangeOnASwitchIsOneStepOfAllMessages) {
  for (const int n : {2, 4, 8}) {
    const Timeline t = run(exchange(n), measured({row("all-to-all", n)}));
    EXPECT_EQ(t.collectives.at(0).algorithm, "direct");
    expect_closed_form(t.total, kLaunch + kStep + static_cast<double>(n - 1) / n * kS / kRate + ramp(kS), n,
                       "direct");
  }
}

TEST(Measured, ASwitchThatAddsSendsTheArrayOnceAndItsPart) {
  for (const int n : {2, 4, 8}) {
    LinkOp op = row("all-reduce", n);
    op.in_switch = true;
    const Timeline t = run(one(Op::all_reduce, line(n), kS), measured({op}));
    expect_closed_form(t.total, kLaunch + 2 * (n - 1) * kStep + (1 + 1.0 / n) * kS / kRate + ramp(kS), 2 * n,
                       fmt::format("n={}", n));
  }
}

TEST(Measured, TheCostFunctionOfACollectiveIsWhatItsTransfersTake) {
  for (const int n : {2, 3, 8}) {
    for (const bool in_switch : {false, true}) {
      LinkOp op = row("all-reduce", n);
      op.in_switch = in_switch;
      const Hardware h = measured({op});
      const CollectiveLoad load{n, 2 * (n - 1), kS, 2.0 * (n - 1) / n * kS};
      expect_closed_form(run(one(Op::all_reduce, line(n), kS), h).total, *collective_s(h, op, load), 2 * n,
                         fmt::format("n={}", n));
    }
  }
}

// On links of their own, too; W is what the busiest link sends: of the halves of a ring half as much.
TEST(Measured, OtherAlgorithmsAndLinksTakeTheirOwnBusiestLink) {
  const int n = 8;
  const Hardware torus = measured({row("all-gather")}, Topology::torus);
  const double part = static_cast<double>(n - 1) / n * kS;
  expect_closed_form(run(one(Op::all_gather, line(n), kS), torus, Algorithm::ring).total,
                     kLaunch + (n - 1) * kStep + part / kRate + ramp(kS), n, "ring on a torus");
  expect_closed_form(run(one(Op::all_gather, line(n), kS), torus, Algorithm::bidirectional).total,
                     kLaunch + (n - 1) * kStep + part / 2 / kRate + ramp(kS), n, "halves on a torus");
}

TEST(Measured, TheRowOfAGroupComesBeforeThatOfAKindAndOthersStayAsTheyWere) {
  LinkOp of_four = row("all-gather", 4);
  of_four.launch_s = 90e-6;
  of_four.ramp.reset();
  const Hardware h = measured({row("all-gather"), of_four});
  const double part = 0.75 * kS;
  expect_closed_form(run(one(Op::all_gather, line(4), kS), h).total, 90e-6 + 3 * kStep + part / kRate, 4,
                     "of four");
  EXPECT_EQ(run(one(Op::all_reduce, line(4), kS), h).total,
            run(one(Op::all_reduce, line(4), kS), measured({})).total);
  LinkOp only_launch;
  only_launch.kind = "all-gather";
  only_launch.group = 4;
  only_launch.launch_s = 5e-6;
  expect_closed_form(run(one(Op::all_gather, line(4), kS), measured({only_launch})).total,
                     5e-6 + 3 * kAlpha + part / (kBeta / 2), 4, "what a row leaves out is the link's");
}

TEST(Measured, APermuteIsOfTheAxesThatItMovesAlong) {
  const Hardware h = measured({row("collective-permute", 4)});
  const Hardware other = measured({row("collective-permute", 8)});
  const Program along_x = one(Op::shift, mesh("x=4,y=2"), kS);  // each device's part is that of two
  expect_closed_form(run(along_x, h).total, kLaunch + kStep + 2 * kS / kRate + ramp(2 * kS), 1, "x of 4");
  EXPECT_EQ(run(along_x, other).total, run(along_x, measured({})).total);
}

// Of 4 ranks each has 8 of 32 channels.
TEST(Measured, PermutesInPartsAreALibrarysCallsAndNotThoseOfRingsBesideProducts) {
  LinkOp op = row("collective-permute");
  op.ramp.reset();
  op.step_s = 0;
  op.parts = LinkOp::Parts{32, 64 * kS, kRate / 16, kRate / 12, 5e-6, 0, 1};
  expect_closed_form(run(one(Op::shift, line(4), kS), measured({op})).total, kLaunch + 5e-6 + 2 * kS / kRate,
                     1, "a ring: half of the rate");
  expect_closed_form(run(one(Op::shift, line(2), kS), measured({op})).total, kLaunch + 5e-6 + kS / kRate, 1,
                     "a pair: 16 channels");
  const MatmulProblem p{4096, 4096, 4096, ElementType::bf16, ElementType::bf16};
  const Program ring = plan("ring.ag_matmul", mesh("row=4"), p);
  EXPECT_EQ(run(ring, measured({op})).total, run(ring, measured({})).total);
}

TEST(Measured, SlowLinksAndLinksThatTakeNoTimeAreSoForMeasuredCollectives) {
  LinkOp op = row("all-gather", 4);
  op.ramp.reset();
  const Program program = one(Op::all_gather, line(4), kS);
  ScheduleOptions options;
  options.overrides.axes = {{"port", 0.5}};
  expect_closed_form(schedule(program, measured({op}), options, {})->total,
                     kLaunch + 3 * kStep + 2 * 0.75 * kS / kRate, 4, "at half the bandwidth");
  options.overrides.axes = {{"port", std::numeric_limits<double>::infinity()}};
  expect_closed_form(schedule(program, measured({op}), options, {})->total, kLaunch, 4, "no time");
}

Hardware nodes_of(int64_t devices) {
  Hardware h = measured({row("all-gather", 8)}, Topology::two_level);
  h.node_devices = devices;
  h.network_bytes_per_s = 25e9;
  h.network_latency_s = 5e-6;
  return h;
}

TEST(Measured, BetweenNodesTheNetworksNumbersHold) {
  const Program program = one(Op::all_gather, line(8), kS);
  Hardware plain = nodes_of(4);
  plain.link.ops.clear();
  EXPECT_EQ(run(program, nodes_of(4)).total, run(program, plain).total);
  expect_closed_form(run(program, nodes_of(8)).total, kLaunch + 7 * kStep + 7.0 / 8 * kS / kRate + ramp(kS),
                     8, "within one node");
}

TEST(Measured, RetimingIsAFreshSchedule) {
  LinkOp op = row("collective-permute");
  Hardware h = measured({op, row("all-reduce", 4)});
  h.overlap.sync_s = 6e-6;
  h.compute.elementwise_launch_s = 2e-6;
  const MatmulProblem p{1024, 1024, 4096, ElementType::f32, ElementType::f32};
  const Program program = plan("wang.os", mesh("row=2,col=4"), p);
  const Retiming retiming = *Retiming::make(program, h, {});
  Hardware faster = h;
  faster.link.ops[0].step_s = 1e-7;
  faster.link.ops[0].ramp->c *= 3;
  faster.overlap.sync_s = 1e-6;
  for (const Hardware& it : {h, faster}) {
    const Timeline fresh = run(program, it);
    const Timeline again = *retiming.time(it, {}, {});
    EXPECT_EQ(again.total, fresh.total);
    EXPECT_EQ(again.events, fresh.events);
    ScheduleOptions each;
    each.one_for_all = false;
    EXPECT_EQ(schedule(program, it, each, {})->total, fresh.total) << "device by device";
  }
}

TEST(Measured, WorkOutsideOfTheCalibratedRangeIsSaidByHowMuch) {
  Hardware h = measured({row("all-gather")});
  h.calibration = Hardware::Calibrated{"measured.csv", "", 6, {}, {}, {{"all-gather", {64.0 * kMiB, 1e10}}}};
  const Timeline t = run(one(Op::all_gather, line(4), 16 * kMiB), h);
  ASSERT_EQ(t.assumptions.size(), 1U);
  EXPECT_EQ(t.assumptions[0],
            "all-gather of 16.0 MiB: 4 times smaller than the smallest that test-chip was calibrated with "
            "(64.0 MiB)");
  EXPECT_TRUE(run(one(Op::all_gather, line(4), 64 * kMiB), h).assumptions.empty());
  EXPECT_TRUE(run(one(Op::all_reduce, line(4), kMiB), h).assumptions.empty());
}

// 300 × 260 in tiles of 128 × 128 are 3 · 3 = 9, two waves of 6 units; k of 100 fills two of 64.
TEST(Tiles, EveryWaveTakesAsLongAsAFullOne) {
  Hardware h = chip();
  h.compute.tile = {128, 128, 64};
  h.compute.units = 6;
  h.compute.peak_flops_per_s[ElementType::f32] = 1e9;
  EXPECT_EQ(padded_flops(h, {1, 300, 100, 260}), 2.0 * 2 * 6 * 128 * 128 * 128);
  EXPECT_EQ(padded_flops(h, {4, 300, 100, 260}), 2.0 * 6 * 6 * 128 * 128 * 128) << "36 tiles in 6 waves";
  const Peak peak = *peak_for(h, ElementType::f32);
  expect_time(product_cost(h, peak, {1, 300, 100, 260}, 0)->compute, 2.0 * 12 * 128 * 128 * 128 / 1e9,
              "two waves");
  h.compute.units.reset();
  EXPECT_EQ(padded_flops(h, {1, 300, 100, 260}), 2.0 * 300 * 100 * 260) << "tiles alone say nothing";
}

Program chain_of_adds() {
  const auto program = parse_program(
      "HloModule m\nENTRY e {\n a = f32[1000] parameter(0)\n b = f32[1000] add(a, a)\n"
      " c = f32[1000] multiply(b, b)\n d = f32[1000] exponential(c)\n"
      " ROOT t = (f32[1000], f32[1000]) tuple(c, d)\n}\n");
  EXPECT_TRUE(program.ok());
  return *program;
}

// `multiply` has two readers and is launched; the add, which it alone reads, is launched with it.
TEST(Elementwise, IsALaunchAndItsTrafficAndWhatAloneReadsItIsLaunchedWithIt) {
  Hardware h = chip();
  h.memory.hbm_bytes_per_s = 1e9;
  const double traffic = (12000.0 + 12000.0 + 8000.0) / 1e9;
  expect_time(run(chain_of_adds(), h).total, traffic, "no launch is known");
  h.compute.elementwise_launch_s = 5e-6;
  const Timeline t = run(chain_of_adds(), h);
  expect_time(t.total, traffic + 2 * 5e-6, "two launches");
  expect_time(t.critical_path.overhead, 2 * 5e-6, "which are overhead");
  h.compute.vector_flops_per_s = 1e7;  // slower than the memory: 1000 operations each
  expect_time(run(chain_of_adds(), h).total, 3 * 1000 / 1e7 + 2 * 5e-6, "by the vector units");
}

// An all-gather ring of 4: four products, three of which have a permute beside them.
TEST(Rounds, SynchroniseOnceWhereACollectiveRunsBesideAProduct) {
  const MatmulProblem p{4096, 4096, 4096, ElementType::bf16, ElementType::bf16};
  const Program program = plan("ring.ag_matmul", mesh("row=4"), p);
  Hardware h = chip();
  const Timeline before = run(program, h);
  h.overlap.sync_s = 6e-6;
  const Timeline after = run(program, h);
  int64_t products = 0, permutes = 0;
  for (const Instruction& i : program.entry_computation().instructions) {
    products += i.opcode == Opcode::dot ? 1 : 0;
    permutes += i.opcode == Opcode::collective_permute ? 1 : 0;
  }
  ASSERT_EQ(products, 4);
  ASSERT_EQ(permutes, 3);
  expect_time(after.total - before.total, 3 * 6e-6, "three rounds");
  expect_time(after.critical_path.overhead - before.critical_path.overhead, 3 * 6e-6, "as overhead");
  EXPECT_EQ(run(program, h, Algorithm::automatic, false).total,
            run(program, chip(), Algorithm::automatic, false).total)
      << "in program order nothing runs beside anything";
}

TEST(Overlap, ACollectiveThatMayNotRunsAlone) {
  const MatmulProblem p{4096, 4096, 4096, ElementType::bf16, ElementType::bf16};
  const Program program = plan("ring.ag_matmul", mesh("row=4"), p);
  Hardware h = chip();
  const Timeline beside = run(program, h);
  h.overlap.ops = {"all-gather"};
  h.overlap.sync_s = 6e-6;  // there is no overlapped round
  const Timeline alone = run(program, h);
  EXPECT_GT(alone.total, beside.total);
  EXPECT_EQ(alone.total, run(program, chip(), Algorithm::automatic, false).total);
  for (const Event& transfer : alone.events) {
    if (transfer.kind != EventKind::transfer) continue;
    for (const Event& product : alone.events) {
      if (product.kind != EventKind::compute || product.device != transfer.device) continue;
      EXPECT_TRUE(product.end <= transfer.start || transfer.end <= product.start);
    }
  }
  h.overlap = {0, std::vector<std::string>{"collective-permute"}};
  EXPECT_EQ(run(program, h).total, beside.total);
}

}  // namespace
}  // namespace shardscope::schedule_test::measured_test
