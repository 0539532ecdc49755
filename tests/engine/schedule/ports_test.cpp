// SPDX-License-Identifier: Apache-2.0
// Exchanges over ports: devices that are alike played as one come to what every device comes to.
#include <fmt/format.h>

#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::ports_test {
namespace {

using Algorithm = CollectiveAlgorithm;

Hardware ports() {
  Hardware hardware = chip();
  hardware.topology = Topology::switch_;
  return hardware;
}

Timeline timed(const Program& program, const Hardware& hardware, ScheduleOptions options, bool one_for_all) {
  options.keep_events = false;
  options.one_for_all = one_for_all;
  auto timeline = schedule(program, hardware, options, {});
  EXPECT_TRUE(timeline.ok()) << (timeline.ok() ? "" : timeline.error().text());
  return timeline.ok() ? *timeline : Timeline();
}

// As every device played.
void expect_same(const Program& program, const Hardware& hardware, ScheduleOptions options,
                 const std::string& where) {
  const Timeline single = timed(program, hardware, options, false);
  const Timeline quick = timed(program, hardware, options, true);
  EXPECT_EQ(quick.total, single.total) << where;
  EXPECT_EQ(quick.event_count, single.event_count) << where;
  EXPECT_EQ(quick.totals, single.totals) << where;
  EXPECT_EQ(quick.critical_path, single.critical_path) << where;
  EXPECT_EQ(quick.collectives, single.collectives) << where;
  EXPECT_TRUE(quick == single) << where;
}

// What a ring that began before sends in later steps goes between the messages of an exchange.
TEST(Ports, LaterStepsOfARingComeInBetween) {
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

TEST(Ports, EveryStrategyComesToTheSame) {
  constexpr MatmulProblem kProblem{1152, 1152, 1152, ElementType::bf16, ElementType::bf16};
  int compared = 0;
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
        ++compared;
        expect_same(*program, hardware, options,
                    fmt::format("{} on {} by {}", strategy.id, text, name(algorithm)));
      }
    }
  }
  EXPECT_GT(compared, 300);
}

}  // namespace
}  // namespace shardscope::schedule_test::ports_test
