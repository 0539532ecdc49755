// SPDX-License-Identifier: Apache-2.0
// Time to lay out a timeline of many events. Arguments: events, percent of the run that is visible.
#include <benchmark/benchmark.h>
#include <map>
#include <memory>

#include "views/scene/story/found_once.h"

namespace shardscope {
namespace {

struct BigRun {
  std::shared_ptr<Run> run = std::make_shared<Run>();
  std::unique_ptr<TraceSource> trace;
};

// 8 devices, compute and four links each, all busy with short events of uneven length.
const BigRun& big_run(int64_t events) {
  static std::map<int64_t, BigRun> kept;
  BigRun& big = kept[events];
  if (big.trace) return big;
  constexpr int kDevices = 8;
  constexpr int kLanes = 5;
  big.run->mesh = *Mesh::parse("row=2,col=4");
  big.run->program.mesh = big.run->mesh;
  Timeline& t = big.run->timeline;
  t.devices = kDevices;
  t.lanes = {{LaneKind::compute, -1, 0, "compute"},
             {LaneKind::link, 0, 1, "row+"},
             {LaneKind::link, 0, -1, "row-"},
             {LaneKind::link, 1, 1, "col+"},
             {LaneKind::link, 1, -1, "col-"}};
  const int64_t rounds = events / (kDevices * kLanes);
  t.events.reserve(static_cast<size_t>(rounds * kDevices * kLanes));
  for (int64_t i = 0; i < rounds; ++i) {
    for (int32_t d = 0; d < kDevices; ++d) {
      for (int16_t lane = 0; lane < kLanes; ++lane) {
        Event e;
        e.start = i * 10'000;
        e.end = e.start + 3'000 + (i * 7919 + d * 31 + lane * 977) % 7'000;
        e.device = d;
        e.lane = lane;
        e.kind = lane == 0 ? EventKind::compute : EventKind::transfer;
        e.step = static_cast<int32_t>(i * 16 / rounds);
        e.bytes = 4096;
        t.events.push_back(e);
      }
    }
  }
  t.event_count = static_cast<int64_t>(t.events.size());
  t.total = rounds * 10'000;
  t.totals.resize(kDevices);
  big.trace = memory_trace(big.run);
  return big;
}

void layout_of_timeline(benchmark::State& state) {
  const BigRun& big = big_run(state.range(0));
  const ViewInput input{*big.run, *big.trace};
  equal_devices(input);  // found once, as the window does
  Canvas canvas;
  canvas.width = 1600;
  canvas.height = 900;
  canvas.theme = light_theme();
  TimelineViewport viewport;
  const Picoseconds length = big.trace->total() * state.range(1) / 100;
  viewport.range = {(big.trace->total() - length) / 2, (big.trace->total() + length) / 2};
  size_t items = 0;
  for (auto _ : state) {
    const Scene scene = layout_timeline(input, viewport, {}, canvas);
    items = scene.order().size();
    benchmark::DoNotOptimize(items);
  }
  state.counters["items"] = static_cast<double>(items);
}
BENCHMARK(layout_of_timeline)
    ->ArgNames({"events", "percent"})
    ->ArgsProduct({{100'000, 10'000'000}, {100, 10, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace shardscope

BENCHMARK_MAIN();
