// SPDX-License-Identifier: Apache-2.0
#include "engine/session/what_if.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>

#include "engine/session/session.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::what_if_test {
namespace {

using schedule_test::chip;
using schedule_test::kMiB;
using schedule_test::Op;

constexpr Picoseconds kLatency = 500'000;       // of the test chip
constexpr Picoseconds kMiBOnLink = 20'971'520;  // 1 MiB at 50 GB/s

// A run as `execute` would make it of a program that no strategy has.
RunPtr run_of(Program program, const Hardware& hardware = chip()) {
  auto run = std::make_shared<Run>();
  run->mesh = program.mesh;
  run->experiment.mesh = program.mesh;
  run->problem = {64, 64, 64, ElementType::f32, ElementType::f32};
  run->hardware = hardware;
  ScheduleOptions options;
  options.collective = run->collective = CollectiveAlgorithm::ring;
  run->program = std::move(program);
  run->timeline = schedule(run->program, hardware, options, {}).value();
  return run;
}

RunPtr ring_gather(int64_t bytes = 4 * kMiB) {
  return run_of(schedule_test::one(Op::all_gather, schedule_test::mesh("x=4"), bytes));
}

WhatIfBase base_of(RunPtr run) {
  Result<WhatIfBase> base = WhatIfBase::make(std::move(run), {});
  EXPECT_TRUE(base.ok()) << (base.ok() ? "" : base.error().text());
  return *base;
}

WhatIf link(const std::string& axis, double factor) {
  WhatIf out;
  out.overrides.axes = {{axis, factor}};
  return out;
}
WhatIf latency(double seconds, WhatIf more = {}) {
  more.chip.latency = NumberChange{false, seconds};
  return more;
}
constexpr double kNoTime = std::numeric_limits<double>::infinity();

WhatIfAnswer answer(const WhatIfBase& base, const WhatIf& asked) {
  const Result<WhatIfAnswer> out = base.ask(asked, WhatIfBase::Keep::events, {});
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  return out.ok() ? *out : WhatIfAnswer();
}

std::string refusal(const WhatIfBase& base, const WhatIf& asked) {
  const Result<WhatIfAnswer> out = base.ask(asked, WhatIfBase::Keep::totals, {});
  return out.ok() ? "" : out.error().text();
}

TEST(WhatIf, AnExposedRingTakesTheTimeThatItsFormulaSays) {
  const WhatIfBase base = base_of(ring_gather());
  EXPECT_EQ(base.run().timeline.total, 3 * (kLatency + kMiBOnLink));
  EXPECT_EQ(answer(base, {}).delta(), 0);
  EXPECT_EQ(answer(base, latency(0)).then.total, 3 * kMiBOnLink);
  EXPECT_EQ(answer(base, link("x", 2)).then.total, 3 * (kLatency + kMiBOnLink / 2));
  EXPECT_EQ(answer(base, link("x", kNoTime)).then.total, 0);
}

TEST(WhatIf, TwiceTheLinkHalvesWhatIsExposedWithoutLatency) {
  const WhatIfBase base = base_of(ring_gather());
  const auto exposed = static_cast<size_t>(Term::exposed);
  const WhatIfAnswer once = answer(base, latency(0)), twice = answer(base, latency(0, link("x", 2)));
  EXPECT_EQ(once.then.terms[exposed], 3 * kMiBOnLink);
  EXPECT_EQ(twice.then.terms[exposed] * 2, once.then.terms[exposed]);
}

TEST(WhatIf, AnOperationThatTakesNoTimeIsGoneFromTheTotal) {
  const WhatIfBase base = base_of(ring_gather());
  WhatIf asked;
  for (const Instruction& i : base.run().program.entry_computation().instructions)
    if (i.opcode == Opcode::all_gather) asked.operations.push_back(i.name);
  ASSERT_EQ(asked.operations.size(), 1U);
  const WhatIfAnswer a = answer(base, asked);
  EXPECT_EQ(a.then.total, 0);
  EXPECT_EQ(a.timeline->events.size(), base.run().timeline.events.size()) << "it happens all the same";
}

TEST(WhatIf, AnEventThatTakesNoTimeIsTheOnlyOneThatDoes) {
  const WhatIfBase base = base_of(run_of(schedule_test::one(Op::shift, schedule_test::mesh("x=4"), kMiB)));
  const std::vector<Event>& events = base.run().timeline.events;
  ASSERT_EQ(events.size(), 4U);
  WhatIf asked;
  for (int64_t e = 0; e < 4; ++e) {
    asked.events.push_back(e);
    const WhatIfAnswer a = answer(base, asked);
    EXPECT_EQ(a.then.total, e == 3 ? 0 : base.run().timeline.total);
    int64_t without_time = 0;
    for (const Event& event : a.timeline->events) without_time += event.end == event.start ? 1 : 0;
    EXPECT_EQ(without_time, e + 1);
  }
}

// Over two links: what comes behind a link that takes no time has still to arrive there.
TEST(WhatIf, ALinkThatTakesNoTimeDoesNotMakeUpForTheOneBefore) {
  const WhatIfBase base = base_of(run_of(schedule_test::one(Op::shift, schedule_test::mesh("x=5"), kMiB, 2)));
  const std::vector<Event>& events = base.run().timeline.events;
  WhatIf asked;
  for (size_t e = 0; e < events.size(); ++e)
    if (events[e].relayed) asked.events.push_back(static_cast<int64_t>(e));
  ASSERT_EQ(asked.events.size(), 5U);
  EXPECT_EQ(answer(base, asked).then.total, kLatency + kMiBOnLink);
}

TEST(WhatIf, ASlowChipAndAFactorOfThePeakScaleAProduct) {
  SpmdBuilder b("dot", schedule_test::mesh("x=2"), {512, 512, 512}, {{"x", "x"}});
  const Value a = b.input(ArrayRole::lhs, {512, 512}, P("x", ""));
  const Value w = b.input(ArrayRole::rhs, {512, 512}, P("", ""));
  const WhatIfBase base = base_of(run_of(b.finish(matmul(a, w), P("x", "")).value()));
  const Picoseconds once =
      2 * 256 * 512 * 512 * Picoseconds{1'000'000} / 100'000'000;  // flops at 100 TFLOP/s
  ASSERT_EQ(base.run().timeline.total, once + 1) << "rounded up";
  WhatIf asked;
  asked.chip.peak = NumberChange{true, 0.5};
  EXPECT_NEAR(answer(base, asked).then.total, 2 * once, 1);
  asked = {};
  asked.overrides.devices = {{1, 0.25}};
  EXPECT_NEAR(answer(base, asked).then.total, 4 * once, 4);
}

TEST(WhatIf, SaysWhatIsWrong) {
  const WhatIfBase base = base_of(ring_gather());
  EXPECT_NE(refusal(base, link("col", 2)).find("no links called 'col'; link col=x2; the links are x"),
            std::string::npos)
      << refusal(base, link("col", 2));
  EXPECT_NE(refusal(base, link("x", 0)).find("cannot reach each other"), std::string::npos);
  WhatIf asked;
  asked.events = {12};
  EXPECT_EQ(refusal(base, asked), "there is no event 12; --event; the run has events 0 to 11");
  asked.events = {-1};
  EXPECT_EQ(refusal(base, asked), "there is no event -1; --event; the run has events 0 to 11");
  asked = {};
  asked.operations = {"all-gater.1"};
  EXPECT_NE(refusal(base, asked).find("there is no operation 'all-gater.1'; --op; did you mean all-gather"),
            std::string::npos)
      << refusal(base, asked);
  asked = {};
  asked.chip.peak = NumberChange{true, 0};
  EXPECT_NE(refusal(base, asked).find("nothing runs at 0"), std::string::npos);
  asked = {};
  asked.overrides.devices = {{9, 0.5}};
  EXPECT_NE(refusal(base, asked).find("no chip 9"), std::string::npos);
  EXPECT_FALSE(parse_axis_override("x=-2").ok());
  EXPECT_FALSE(parse_axis_override("x=2").ok()) << "a bandwidth without a unit";
  EXPECT_FALSE(parse_number_change("x-1").ok());
  EXPECT_FALSE(parse_what_if({{}, {"17=1"}, {}}).ok());
}

TEST(WhatIf, ARunThatWasTimedByOtherRulesIsRefused) {
  const auto other = std::make_shared<shardscope::Run>(*ring_gather());
  other->timeline.total += 1;
  const auto base = WhatIfBase::make(other, {});
  ASSERT_FALSE(base.ok());
  EXPECT_NE(base.error().text().find("run it again"), std::string::npos);
}

TEST(Sensitivity, OfAnExposedRingIsThatOfItsFormula) {
  const WhatIfBase base = base_of(ring_gather());
  const std::vector<Sensitivity> rows = base.sensitivities({}, {}).value();
  ASSERT_EQ(rows.front().parameter, "link x");
  EXPECT_EQ(rows.front().value, 50e9);
  EXPECT_EQ(rows.front().plus10, 3 * (to_picoseconds(static_cast<double>(kMiB) / (50e9 * 1.1)) - kMiBOnLink));
  EXPECT_EQ(rows.front().stops_at, std::nullopt);
  EXPECT_EQ(rows[1].parameter, "latency");
  EXPECT_EQ(rows[1].plus10, 3 * (to_picoseconds(500e-9 / 1.1) - kLatency));
  for (const Sensitivity& row : rows) {
    if (row.parameter != "peak" && row.parameter != "hbm") continue;
    EXPECT_EQ(row.plus10, 0) << row.parameter;
    EXPECT_EQ(row.stops_at, 1.0) << row.parameter;
  }
}

// A product that computes for twice as long as it reads and writes.
TEST(Sensitivity, APeakStopsHelpingWhereMemoryTakesAsLong) {
  SpmdBuilder b("dot", schedule_test::mesh("x=1"), {512, 512, 512}, {{"x", "x"}});
  const Value a = b.input(ArrayRole::lhs, {512, 512}, P("", ""));
  const Value w = b.input(ArrayRole::rhs, {512, 512}, P("", ""));
  Hardware hardware = chip();
  const double seconds = 2.0 * 512 * 512 * 512 / 100e12;
  hardware.memory.hbm_bytes_per_s = 3.0 * 512 * 512 * 4 / (seconds / 2);
  const WhatIfBase base = base_of(run_of(b.finish(matmul(a, w), P("", "")).value(), hardware));
  const std::vector<Sensitivity> rows = base.sensitivities({}, {}).value();
  ASSERT_EQ(rows.front().parameter, "peak");
  EXPECT_NEAR(to_seconds(rows.front().plus10), seconds / 1.1 - seconds, 1e-11);
  ASSERT_TRUE(rows.front().stops_at);
  EXPECT_NEAR(*rows.front().stops_at, 2, 0.03);
  WhatIf there;
  there.chip.peak = NumberChange{true, *rows.front().stops_at};
  const Picoseconds least = answer(base, there).then.total;
  there.chip.peak->value *= 3;
  EXPECT_EQ(answer(base, there).then.total, least);
}

// Questions of each kind, some of them together.
std::vector<WhatIf> questions(const Run& run, const std::vector<std::string>& links) {
  std::vector<WhatIf> out(7);
  for (size_t l = 0; l < links.size(); ++l) {
    out.push_back(link(links[l], l % 2 == 0 ? 2 : 0.3));
    out.push_back(link(links[l], kNoTime));
  }
  out[1].chip.latency = NumberChange{false, 0};
  out[2].chip.peak = NumberChange{true, 2};
  out[3].chip.hbm = NumberChange{true, 0.5};
  out[4].chip.launch = NumberChange{false, 3e-6};
  out[5].overrides.devices = {{run.mesh.device_count() - 1, 0.5}};
  out[6] = out.back();
  out[6].chip = {NumberChange{true, 1.5}, NumberChange{true, 3}, NumberChange{true, 0.25}, std::nullopt};
  return out;
}

// What answers a question when nothing is planned beforehand.
Timeline scheduled(const Run& run, const WhatIf& asked) {
  ScheduleOptions options;
  options.overlap = run.overlap;
  options.collective = run.collective;
  options.overrides = asked.overrides;
  options.one_for_all = false;
  return schedule(run.program, changed(run.hardware, asked.chip).value(), options, {}).value();
}

TEST(WhatIf, IsTheScheduleOfTheChangedMachineAndAddsUp) {
  Experiment e;
  e.mesh = *Mesh::parse("row=2,col=4");
  e.problem = {64, 128, 96, ElementType::f32, ElementType::f32};
  ExecutionOptions timing;
  timing.numerics = false;
  for (const RunRequest& request : requests_of(e)) {
    const auto run = execute(e, request, timing, {});
    if (!run.ok()) continue;
    const WhatIfBase base = base_of(*run);
    for (const WhatIf& asked : questions(**run, base.links())) {
      const WhatIfAnswer a = answer(base, asked);
      const Timeline expected = scheduled(**run, asked);
      EXPECT_EQ(a.timeline->events, expected.events) << request.strategy;
      EXPECT_EQ(a.timeline->totals, expected.totals) << request.strategy;
      EXPECT_EQ(a.timeline->critical_path, expected.critical_path) << request.strategy;
      EXPECT_EQ(a.timeline->memory, expected.memory) << request.strategy;
      EXPECT_EQ(a.timeline->buffers, expected.buffers) << request.strategy;
      EXPECT_EQ(std::accumulate(a.then.terms.begin(), a.then.terms.end(), Picoseconds{0}), a.then.total);
      EXPECT_EQ(std::accumulate(a.then.parts.begin(), a.then.parts.end(), Picoseconds{0}), a.then.total);
    }
  }
}

// A kernel that stands for a collective is timed on links that are all alike: no link is offered, and what
// the chip's own numbers would give is still said.
TEST(Sensitivity, OfCollectivesByKernelsIsOfTheChipAlone) {
  Experiment e;
  e.mesh = *Mesh::parse("x=4");
  e.problem = {64, 64, 64, ElementType::f32, ElementType::f32};
  ExecutionOptions timing;
  timing.numerics = false;
  for (const KernelTiming kernels : {KernelTiming::dots, KernelTiming::collectives, KernelTiming::all}) {
    e.kernels = kernels;
    const WhatIfBase base = base_of(execute(e, {.strategy = "fsdp.forward"}, timing, {}).value());
    EXPECT_EQ(base.links().empty(), kernels != KernelTiming::dots) << name(kernels);
    const Result<std::vector<Sensitivity>> rows = base.sensitivities({}, {});
    ASSERT_TRUE(rows.ok()) << rows.error().text();
    const auto latency = std::ranges::find(*rows, "latency", &Sensitivity::parameter);
    ASSERT_NE(latency, rows->end());
    EXPECT_LT(latency->plus10, 0) << name(kernels);
  }
}

TEST(WhatIf, KeptAsARunItTakesWhatTheAnswerSaid) {
  Experiment e;
  e.mesh = *Mesh::parse("row=2,col=4");
  e.problem = {1024, 3072, 512, ElementType::bf16, ElementType::f32};
  e.overrides.axes = {{"row", 0.5}};
  e.efficiency = 70;
  ExecutionOptions timing;
  timing.numerics = false;
  for (const char* strategy : {"wang.os", "meshslice.ls", "collective.rs", "psum", "cannon.os"}) {
    const auto run = execute(e, {.strategy = strategy}, timing, {});
    if (!run.ok()) continue;
    const WhatIfBase base = base_of(*run);
    for (const WhatIf& asked : questions(**run, base.links())) {
      const WhatIfAnswer a = answer(base, asked);
      const Result<Experiment> kept = base.as_experiment(asked);
      ASSERT_TRUE(kept.ok());
      const auto again = execute(*kept, kept->runs.front(), timing, {});
      ASSERT_TRUE(again.ok()) << again.error().text();
      EXPECT_EQ((*again)->timeline.total, a.then.total) << strategy << " " << options_of(asked)[1];
      EXPECT_EQ((*again)->timeline.events, a.timeline->events);
      EXPECT_EQ((*again)->program, (*run)->program) << "the algorithms are those of the run";
      EXPECT_EQ(base_of(*again).ask({}, WhatIfBase::Keep::totals, {})->delta(), 0);
    }
  }
}

TEST(WhatIf, WhatNoRequestCanSayIsNotKept) {
  const WhatIfBase base = base_of(ring_gather());
  WhatIf asked;
  asked.events = {0};
  ASSERT_FALSE(base.as_experiment(asked).ok());
  EXPECT_NE(base.as_experiment(asked).error().text().find("zero cost"), std::string::npos);
}

// Every run of every preset, timed again without a question, is the run to the picosecond.
TEST(WhatIf, WithoutAQuestionEveryPresetsRunsAreWhatTheyWere) {
  size_t asked = 0;
  for (const ExperimentPreset& preset : experiment_presets()) {
    const Experiment e = find_experiment(preset.name).value();
    ExecutionOptions timing;
    timing.numerics = false;
    timing.most_events = 200'000;
    const auto runs = sweep(e, timing, {});
    if (!runs.ok()) continue;
    asked += runs->runs.size();
    for (const RunPtr& run : runs->runs) {
      const WhatIfBase base = base_of(run);
      const WhatIfAnswer a = base.ask({}, WhatIfBase::Keep::totals, {}).value();
      EXPECT_EQ(a.then, a.base) << preset.name << " " << run->strategy;
      EXPECT_EQ(a.timeline->totals, run->timeline.totals) << preset.name << " " << run->strategy;
    }
  }
  EXPECT_GE(asked, experiment_presets().size());
}

}  // namespace
}  // namespace shardscope::what_if_test
