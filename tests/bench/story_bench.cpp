// SPDX-License-Identifier: Apache-2.0
// Telling a run of 64 devices, a moment of it, and its sentences.
#include <benchmark/benchmark.h>

#include "engine/schedule/schedule.h"
#include "engine/story/sentences.h"
#include "engine/story/sums/range_statistics.h"
#include "engine/strategies/strategy.h"

namespace {

using namespace shardscope;

struct TimedRun {
  Program program;
  Timeline timeline;
};

TimedRun run_of(const char* id, CollectiveAlgorithm algorithm) {
  const Mesh mesh = Mesh::parse("row=8,col=8").value();
  StrategyOptions options;
  options.slices = 8;
  TimedRun out{find_strategy(id).value()->plan(mesh, {4096, 4096, 4096}, options).value(), {}};
  ScheduleOptions how;
  how.collective = algorithm;
  out.timeline = schedule(out.program, find_hardware("tpu-v5e").value(), how, {}).value();
  return out;
}

void telling(benchmark::State& state, const char* id, CollectiveAlgorithm algorithm) {
  const TimedRun run = run_of(id, algorithm);
  for (auto _ : state) benchmark::DoNotOptimize(tell(run.program, run.timeline).value());
  state.counters["events"] = static_cast<double>(run.timeline.events.size());
}
BENCHMARK_CAPTURE(telling, meshslice_ring, "meshslice.os", CollectiveAlgorithm::ring)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(telling, meshslice_ls_ring, "meshslice.ls", CollectiveAlgorithm::ring)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(telling, wang_auto, "wang.os", CollectiveAlgorithm::automatic)
    ->Unit(benchmark::kMillisecond);

// What all devices hold half way through.
void moment(benchmark::State& state, const char* id, CollectiveAlgorithm algorithm) {
  const TimedRun run = run_of(id, algorithm);
  const Story story = tell(run.program, run.timeline).value();
  size_t pieces = 0;
  for (auto _ : state) {
    pieces = 0;
    for (int32_t d = 0; d < run.timeline.devices; ++d) pieces += story.held(d, run.timeline.total / 2).size();
  }
  state.counters["pieces"] = static_cast<double>(pieces);
}
BENCHMARK_CAPTURE(moment, meshslice_ring, "meshslice.os", CollectiveAlgorithm::ring)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(moment, meshslice_ls_ring, "meshslice.ls", CollectiveAlgorithm::ring)
    ->Unit(benchmark::kMicrosecond);

void saying(benchmark::State& state, const char* id, CollectiveAlgorithm algorithm) {
  const TimedRun run = run_of(id, algorithm);
  const Story story = tell(run.program, run.timeline).value();
  const auto beats = static_cast<int32_t>(story.beats().size());
  int32_t beat = 0;
  for (auto _ : state) benchmark::DoNotOptimize(sentences(story, ++beat % beats));
  state.counters["beats"] = beats;
}
BENCHMARK_CAPTURE(saying, meshslice_ring, "meshslice.os", CollectiveAlgorithm::ring)
    ->Unit(benchmark::kMicrosecond);

// What all devices do, by operation: about 100,000 events, a part of the range and all of it.
void summing(benchmark::State& state, double part) {
  Run run;
  run.mesh = Mesh::parse("row=36,col=36").value();
  const Hardware hardware = find_hardware("tpu-v5e").value();
  ScheduleOptions how;
  how.collective = CollectiveAlgorithm::ring;
  run.program = find_strategy("collective.os").value()->plan(run.mesh, {4608, 4608, 4608}, {}).value();
  run.timeline = schedule(run.program, hardware, how, {}).value();
  const Story story = tell(run.program, run.timeline).value();
  const auto end = static_cast<Picoseconds>(part * static_cast<double>(run.timeline.total));
  const std::vector<int32_t> devices = all_devices(run);
  for (auto _ : state)
    benchmark::DoNotOptimize(range_statistics(run, &story, {run.timeline.total / 10, end}, devices));
  state.counters["events"] = static_cast<double>(run.timeline.events.size());
}
BENCHMARK_CAPTURE(summing, half, 0.5)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(summing, most, 1.0)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
