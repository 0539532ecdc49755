// SPDX-License-Identifier: Apache-2.0
// What a question to a run takes, beside a plain schedule of it: 64 devices and about 10,000 events, of a run
// that one device stands for and of one where every device is played, as with a slow chip.
#include <benchmark/benchmark.h>

#include "engine/session/session.h"
#include "engine/session/what_if.h"

namespace {

using namespace shardscope;

RunPtr run_of(const char* strategy, const char* wraps) {
  Experiment e;
  e.mesh = with_wrap(Mesh::parse("row=8,col=8").value(), wraps).value();
  e.problem = {8192, 8192, 8192, ElementType::bf16, ElementType::f32};
  ExecutionOptions options;
  options.numerics = false;
  return execute(e, {.strategy = strategy}, options, {}).value();
}

const RunPtr& ring() {
  static const RunPtr kRun = run_of("meshslice.ls", "all");
  return kRun;
}
const RunPtr& line() {
  static const RunPtr kRun = run_of("meshslice.ls", "none");
  return kRun;
}

WhatIf twice_the_links() {
  WhatIf out;
  out.overrides.axes = {{"col", 2}};
  return out;
}
WhatIf slow_chip() {
  WhatIf out;
  out.overrides.devices = {{5, 0.5}};
  return out;
}

void plain_schedule(benchmark::State& state, const RunPtr& run) {
  ScheduleOptions options;
  options.overrides = run->experiment.overrides;
  options.collective = run->collective;
  for (auto _ : state)
    benchmark::DoNotOptimize(schedule(run->program, run->hardware, options, {}).value().total);
  state.counters["events"] = static_cast<double>(run->timeline.event_count);
}
BENCHMARK_CAPTURE(plain_schedule, ring, ring())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plain_schedule, line, line())->Unit(benchmark::kMillisecond);

void ask(benchmark::State& state, const RunPtr& run, const WhatIf& asked, WhatIfBase::Keep keep) {
  const WhatIfBase base = WhatIfBase::make(run, {}).value();
  for (auto _ : state) benchmark::DoNotOptimize(base.ask(asked, keep, {}).value().then.total);
}
constexpr auto kEvents = WhatIfBase::Keep::events;
constexpr auto kTotals = WhatIfBase::Keep::totals;
BENCHMARK_CAPTURE(ask, ring_links, ring(), twice_the_links(), kEvents)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ask, ring_slow_chip, ring(), slow_chip(), kEvents)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ask, line_links, line(), twice_the_links(), kEvents)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ask, line_links_totals, line(), twice_the_links(), kTotals)->Unit(benchmark::kMillisecond);

void sensitivities(benchmark::State& state, const RunPtr& run) {
  const WhatIfBase base = WhatIfBase::make(run, {}).value();
  for (auto _ : state) benchmark::DoNotOptimize(base.sensitivities({}, {}).value().size());
}
BENCHMARK_CAPTURE(sensitivities, ring, ring())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sensitivities, line, line())->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
