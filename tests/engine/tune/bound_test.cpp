// SPDX-License-Identifier: Apache-2.0
// What no schedule beats.
#include "engine/tune/bound.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

#include "engine/schedule/schedule.h"
#include "engine/session/session.h"
#include "engine/strategies/looped.h"
#include "engine/tune/timing.h"

namespace shardscope::bound_test {
namespace {

// What a product reads and writes is in its bound.
TEST(Tune, TheBoundOfADotIsItsTime) {
  Experiment experiment;
  experiment.mesh = *Mesh::parse("row=1,col=1");
  for (const int64_t k : {64, 4096}) {  // the second reads more than it multiplies
    experiment.problem = {.m = k == 64 ? 4096 : 8, .k = k, .n = 4096};
    ExecutionOptions options;
    options.numerics = false;
    RunRequest request;
    request.strategy = "collective.os";
    const RunPtr run = *execute(experiment, request, options, {});
    EXPECT_EQ(least_cost({run->program, {}}, run->hardware).seconds, to_seconds(run->timeline.total)) << k;
  }
}

// Panels go along four chips over six links where they stand in a line, over eight where they close a ring.
TEST(Tune, ALineHasALinkLessThanARing) {
  const Hardware hardware = *find_hardware("tpu-v5e");
  const MatmulProblem problem{8, 1 << 20, 8, ElementType::bf16, ElementType::f32};
  StrategyOptions options;
  options.block = 1 << 14;
  const auto bound = [&](bool wraps) {
    const Mesh mesh = *Mesh::make({{"row", 1, true}, {"col", 4, wraps}});
    const auto program = (*find_strategy("summa.os"))->plan(mesh, problem, options);
    return least_cost({*program, {}}, hardware).seconds;
  };
  EXPECT_GT(bound(false), 1.2 * bound(true));
  EXPECT_LT(bound(false), 1.4 * bound(true));
}

// By hand: slices of X stay where they are, so products follow each other from the start, and rounding what
// they make takes nothing: scatters follow the first of them, one of them the last. Three of four parts of
// each leave the one port of a chip.
TEST(Tune, ScattersOverAPortFollowTheFirstProduct) {
  const Hardware hardware = *find_hardware("h200");
  const Mesh mesh = *Mesh::parse("row=4,col=1");
  const MatmulProblem problem{4096, 8192, 2048, ElementType::bf16, ElementType::f32};
  StrategyOptions options;
  options.slices = 4;
  const auto program = (*find_strategy("meshslice.rs"))->plan(mesh, problem, options);
  const Peak peak = *peak_for(hardware, ElementType::bf16);
  const int64_t bytes = (1024 * 2048 + 2048 * 2048 + 1024 * 2048) * 2 + 1024 * 2048 * 2;  // sums are f32
  const double product = to_seconds(product_cost(hardware, peak, {1, 1024, 2048, 2048}, bytes)->total());
  const auto scatters = [&](int slices) {
    const double sent = 0.75 * 1024 * 2048 * 2 * slices;
    return hardware.link.launch_overhead_s + *hardware.link.latency_s +
           sent / (*hardware.link.bytes_per_s * hardware.link.efficiency);
  };
  const double least = std::max(product + scatters(4), 4 * product + scatters(1));
  EXPECT_NEAR(least_cost({*program, {}}, hardware).seconds, least, 1e-9);
  FastestAlgorithms fastest;
  LayerOption option;
  option.strategy = *find_strategy("meshslice.rs");
  option.options = options;
  const auto timed = time_option(option, mesh, problem, {hardware, fastest}, 1, {});
  EXPECT_LE(least, timed->value().total_s + 1e-9);
  EXPECT_GE(least, timed->value().total_s * 0.9);
}

// A sum between devices in f32 is rounded when it has arrived: that takes the memory's time, too.
TEST(Tune, ElementwiseWorkIsInTheBound) {
  const Hardware hardware = *find_hardware("tpu-v3");
  const Mesh mesh = *Mesh::parse("row=1,col=4");
  const MatmulProblem problem{1 << 12, 256, 1 << 12, ElementType::bf16, ElementType::f32, SumType::f32};
  const auto program = (*find_strategy("psum"))->plan(mesh, problem, {});
  const Computation& entry = program->entry_computation();
  ASSERT_EQ(entry.root_instruction().opcode, Opcode::convert);
  const int64_t rounded = entry.root_instruction().shape.bytes();
  const double rounding = to_seconds(elementwise_cost(hardware, 3 * rounded)->total());
  const double least = least_cost({*program, {}}, hardware).seconds;
  EXPECT_GT(least, rounding);
  FastestAlgorithms fastest;
  LayerOption option;
  option.strategy = *find_strategy("psum");
  const auto timed = time_option(option, mesh, problem, {hardware, fastest}, 1, {});
  EXPECT_LE(least, timed->value().total_s);
  Hardware faster = hardware;
  faster.memory.hbm_bytes_per_s = *hardware.memory.hbm_bytes_per_s * 2;
  EXPECT_LE(least_cost({*program, {}}, faster).seconds, least - rounding / 2 + 1e-12);
}

// A few rounds of a loop are sketched: they stand for all of it.
TEST(Tune, TheBoundOfASketchIsThatOfTheProgram) {
  const Hardware hardware = *find_hardware("tpu-v5e");
  int loops = 0;
  for (const char* id : {"summa.os", "summa.ls", "summa.rs"}) {
    for (const char* shape : {"row=2,col=4", "row=4,col=4", "row=8,col=1"}) {
      const Mesh mesh = *Mesh::parse(shape);
      const MatmulProblem problem{16384, 16384, 16384, ElementType::bf16, ElementType::f32};
      const Strategy& strategy = **find_strategy(id);
      StrategyOptions options;
      options.block = 64;
      const ProgramSketch looped = *sketch(strategy, mesh, problem, options, kFewestTuned);
      const Program flat = *strategy.plan(mesh, problem, options);
      loops += looped.times.empty() ? 0 : 1;
      const LeastCost short_one = least_cost(looped, hardware), whole = least_cost({flat, {}}, hardware);
      const std::string what = std::string(id) + " on " + shape;
      EXPECT_LE(short_one.seconds, whole.seconds * (1 + 1e-12)) << what;
      EXPECT_GE(short_one.seconds, whole.seconds * 0.99) << what;
      EXPECT_LE(short_one.peak_bytes, whole.peak_bytes) << what;
      EXPECT_GE(short_one.peak_bytes, whole.peak_bytes * 99 / 100) << what;
    }
  }
  EXPECT_GE(loops, 6);
}

// Of many rounds that are alike a sketch has a few: whatever it leaves out, the program does not beat its
// bound.
TEST(Tune, ASketchOfAFewRoundsBoundsAllOfThem) {
  int looped = 0;
  for (const char* chip : {"tpu-v5e", "h100"}) {
    const Hardware hardware = *find_hardware(chip);
    for (const char* shape :
         {"row=2,col=32", "row=32,col=2", "row=16,col=16", "row=1,col=24", "row=6,col=4"}) {
      const Mesh mesh = *Mesh::parse(shape);
      const MatmulProblem problem{6144, 12288, 3072, ElementType::bf16, ElementType::f32};
      for (const char* id :
           {"cannon.rect", "summa.os", "summa.ls", "summa.rs", "wang.os", "wang.ls", "wang.rs.osplit",
            "wang.rs.isplit", "ring.ag_matmul", "ring.ag_matmul.bidirectional", "ring.matmul_rs",
            "ring.matmul_rs.bidirectional"}) {
        const Strategy& strategy = **find_strategy(id);
        StrategyOptions options;
        options.block = 32;
        const auto looked_at = sketch(strategy, mesh, problem, options, kFewestTuned);
        const auto program = strategy.plan(mesh, problem, options);
        ASSERT_EQ(looked_at.ok(), program.ok()) << id << " on " << shape;
        if (!program.ok()) continue;
        const LeastCost bound = least_cost(*looked_at, hardware),
                        whole = least_cost({*program, {}}, hardware);
        const std::string what = std::string(id) + " on " + shape;
        EXPECT_LE(bound.seconds, whole.seconds * (1 + 1e-12)) << what;
        EXPECT_GE(bound.seconds, whole.seconds * 0.85) << what;
        EXPECT_LE(bound.peak_bytes, whole.peak_bytes) << what;
        EXPECT_GE(bound.peak_bytes, whole.peak_bytes * 9 / 10) << what;
        EXPECT_NEAR(static_cast<double>(bound.instructions), static_cast<double>(whole.instructions),
                    0.5 * static_cast<double>(whole.instructions))
            << what;
        const bool is_short = looked_at->program.instruction_count() * 2 < program->instruction_count();
        looped += !looked_at->times.empty() && is_short ? 1 : 0;
      }
    }
  }
  EXPECT_GE(looped, 60);
}

// Of what has no loops a sketch is the program without its names and without which slices and constants they
// are, refused where that is.
TEST(Tune, ASketchIsTheProgramWithoutNames) {
  const auto bare = [](Program program) {
    for (Instruction& i : program.computations.back().instructions) {
      i.name.clear();
      i.provenance.edit().op_name.clear();
      i.slice = {};
      i.dynamic_slice_sizes = {};
      i.literal = {};
    }
    return program;
  };
  int planned = 0;
  for (const char* shape : {"row=2,col=4", "row=4,col=4", "row=3,col=1"}) {
    const Mesh mesh = *Mesh::parse(shape);
    const MatmulProblem problem{96, 192, 384, ElementType::bf16, ElementType::f32};
    for (const Strategy& strategy : strategies()) {
      const auto looked_at = sketch(strategy, mesh, problem, {}, kFewestTuned);
      const auto program = strategy.plan(mesh, problem, {});
      ASSERT_EQ(looked_at.ok(), program.ok()) << strategy.id << " on " << shape;
      if (!program.ok()) continue;
      ++planned;
      EXPECT_EQ(bare(looked_at->program), bare(*program)) << strategy.id << " on " << shape;
    }
  }
  EXPECT_GT(planned, 60);
  const MatmulProblem large{int64_t{1} << 40, int64_t{1} << 20, 64, ElementType::bf16, ElementType::f32};
  EXPECT_FALSE(
      sketch(**find_strategy("collective.os"), *Mesh::parse("row=2,col=4"), large, {}, kFewestTuned).ok());
}

// Those that are timed by their loops are timed as written out.
TEST(Tune, AnOptionInManyPanelsTakesAsLongAsWrittenOut) {
  const Hardware hardware = *find_hardware("tpu-v5e");
  const Mesh mesh = *Mesh::parse("row=2,col=4");
  const MatmulProblem problem{2048, 65536, 2048, ElementType::bf16, ElementType::f32};
  LayerOption option;
  option.strategy = *find_strategy("summa.os");
  option.options.block = 64;
  FastestAlgorithms fastest;
  const auto by_loops = time_option(option, mesh, problem, {hardware, fastest}, 1e9, {});
  ASSERT_TRUE(by_loops.ok() && *by_loops);
  Program flat = *option.strategy->plan(mesh, problem, option.options);
  flat = *resolve_collectives(std::move(flat), hardware, CollectiveAlgorithm::automatic);
  ScheduleOptions totals;
  totals.keep_events = false;
  const auto in_full = schedule(flat, hardware, totals, {});
  ASSERT_TRUE(in_full.ok());
  EXPECT_EQ((*by_loops)->total_s, to_seconds(in_full->total));
  EXPECT_EQ((*by_loops)->peak_bytes, static_cast<int64_t>(max_per_device(*in_full).peak_bytes));
  const auto too_long =
      time_option(option, mesh, problem, {hardware, fastest}, (*by_loops)->total_s * 0.99, {});
  ASSERT_TRUE(too_long.ok());
  EXPECT_FALSE(*too_long);
}

}  // namespace
}  // namespace shardscope::bound_test
