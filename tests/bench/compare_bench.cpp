// SPDX-License-Identifier: Apache-2.0
// What a hand on a slider or a wheel waits for: a what-if from the question to its picture (64 devices, about
// 10,000 events), and pictures of many runs and of runs with thousands of devices on one axis.
#include <benchmark/benchmark.h>

#include "engine/report/run_difference.h"
#include "engine/session/session.h"
#include "engine/session/what_if.h"
#include "views/scene/compare/compare.h"

namespace {

using namespace shardscope;

RunPtr run_of(const char* strategy, const char* mesh) {
  Experiment e;
  e.mesh = with_wrap(Mesh::parse(mesh).value(), "all").value();
  e.problem = {8192, 8192, 8192, ElementType::bf16, ElementType::f32};
  ExecutionOptions options;
  options.numerics = false;
  return execute(e, {.strategy = strategy}, options, {}).value();
}

Canvas window() {
  Canvas out;
  out.width = 1280;
  out.height = 800;
  out.theme = light_theme();
  return out;
}

void what_if_frame(benchmark::State& state, const WhatIf& asked) {
  const RunPtr run = run_of("meshslice.ls", "row=8,col=8");
  const WhatIfBase base = WhatIfBase::make(run, {}).value();
  const auto trace = memory_trace(run);
  for (auto _ : state) {
    const WhatIfAnswer answer = base.ask(asked, WhatIfBase::Keep::events, {}).value();
    auto then = std::make_shared<Run>(*run);
    then->timeline = *answer.timeline;
    const auto then_trace = memory_trace(then);
    benchmark::DoNotOptimize(
        layout_what_if_timeline({*then, *then_trace}, {*run, *trace}, {}, {}, window()).order().size());
  }
  state.counters["events"] = static_cast<double>(run->timeline.event_count);
}
BENCHMARK_CAPTURE(what_if_frame, links, WhatIf{{{}, {}, {{"col", 2}}}, {}, {}, {}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(what_if_frame, slow_chip, WhatIf{{{{5, 0.5}}, {}, {}}, {}, {}, {}})
    ->Unit(benchmark::kMillisecond);

struct Compared {
  Compared(size_t count, const char* mesh) {
    const char* strategies[] = {"meshslice.os", "wang.os", "collective.os", "meshslice.ls", "wang.ls"};
    for (size_t i = 0; i < count; ++i) runs.push_back(told(run_of(strategies[i % 5], mesh)));
    difference = difference_of(runs).value();
    for (const RunWithStory& run : runs) {
      traces.push_back(memory_trace(run.run));
      inputs.push_back({*run.run, *traces.back(), run.story.get()});
    }
  }
  std::vector<RunWithStory> runs;
  RunDifference difference;
  std::vector<std::unique_ptr<TraceSource>> traces;
  std::vector<ViewInput> inputs;
};

void compare_picture(benchmark::State& state, size_t count, const char* mesh) {
  const Compared all(count, mesh);
  CompareMarks marks;
  marks.hovered.kind = ItemId::Kind::event;  // what carries the same is marked in all
  marks.hovered.index = 0;
  marks.hovered.event = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        layout_compare({all.inputs, all.difference}, {}, marks, window()).order().size());
}
BENCHMARK_CAPTURE(compare_picture, runs_3, 3, "row=8,col=8")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compare_picture, runs_20, 20, "row=8,col=8")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compare_picture, devices_4096, 2, "row=64,col=64")->Unit(benchmark::kMillisecond);

void difference(benchmark::State& state, size_t count, const char* mesh) {
  const Compared all(count, mesh);
  for (auto _ : state) benchmark::DoNotOptimize(difference_of(all.runs).value().operations.size());
}
BENCHMARK_CAPTURE(difference, runs_20, 20, "row=8,col=8")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(difference, devices_4096, 2, "row=64,col=64")->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
