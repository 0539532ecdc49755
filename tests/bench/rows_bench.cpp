// SPDX-License-Identifier: Apache-2.0
// CPU time of a frame of the timeline of thousands of devices. Argument: how its rows are shown.
#include <benchmark/benchmark.h>
#include <memory>

#include "engine/schedule/schedule.h"
#include "engine/strategies/strategy.h"
#include "views/scene/core/layouts.h"

namespace shardscope {
namespace {

struct BigMesh {
  std::shared_ptr<Run> run = std::make_shared<Run>();
  std::unique_ptr<TraceSource> trace;
};

// Cannon's algorithm on 64 × 64 devices: no row of the mesh does what another one does.
const BigMesh& big_mesh() {
  static const BigMesh kMesh = [] {
    BigMesh big;
    Run& run = *big.run;
    run.strategy = "cannon.os";
    run.mesh = *Mesh::parse("row=64,col=64");
    run.problem = {8192, 8192, 8192, ElementType::bf16, ElementType::f32};
    run.hardware = *find_hardware("tpu-v4");
    if (!run.hardware.link.latency_s) run.hardware.link.latency_s = 1e-6;
    run.program = *resolve_collectives(*(*find_strategy(run.strategy))->plan(run.mesh, run.problem, {}),
                                       run.hardware, CollectiveAlgorithm::automatic);
    run.timeline = *schedule(run.program, run.hardware, {}, {});
    big.trace = memory_trace(big.run);
    return big;
  }();
  return kMesh;
}

enum Shown { kOwnHeight, kPixelRows, kFit, kFolded, kCollapsed };

TimelineViewport viewport_of(Shown shown) {
  TimelineViewport out;
  out.collapse_equal = shown == kCollapsed;
  if (shown == kPixelRows) out.rows.height = 1;
  if (shown == kFit) out.rows.fit = true;
  if (shown == kFolded) {
    out.rows.group = "row";
    out.rows.height = 10;
    for (int64_t r = 0; r < 64; ++r) out.rows.folded.push_back(r);
  }
  return out;
}

// Zoomed in step by step and moved: no two frames are the same.
void pan_and_zoom(benchmark::State& state) {
  const BigMesh& big = big_mesh();
  const ViewInput input{*big.run, *big.trace};
  layout_timeline(input, {}, {}, Canvas());  // what is found once
  Canvas canvas;
  canvas.width = 1600;
  canvas.height = 900;
  canvas.theme = light_theme();
  TimelineViewport viewport = viewport_of(static_cast<Shown>(state.range(0)));
  const Picoseconds total = big.trace->total();
  int64_t frame = 0;
  size_t items = 0;
  for (auto _ : state) {
    const Picoseconds length = total / (1 + frame % 8);
    const Picoseconds start = (total - length) * (frame % 5) / 5;
    viewport.range = {start, start + length};
    viewport.scroll_y = static_cast<float>(frame % 13 * 17);
    const Scene scene = layout_timeline(input, viewport, {}, canvas);
    items = std::max(items, scene.order().size());
    ++frame;
  }
  state.counters["items"] = static_cast<double>(items);
  state.counters["events"] = static_cast<double>(big.run->timeline.events.size());
}
BENCHMARK(pan_and_zoom)->ArgName("rows")->DenseRange(kOwnHeight, kCollapsed)->Unit(benchmark::kMillisecond);

// What is found once per run.
void find_equal_devices(benchmark::State& state) {
  const BigMesh& big = big_mesh();
  for (auto _ : state) benchmark::DoNotOptimize(equal_devices(*big.run, *big.trace).like.size());
}
BENCHMARK(find_equal_devices)->Unit(benchmark::kMillisecond);

void count_devices(benchmark::State& state) {
  const BigMesh& big = big_mesh();
  std::vector<int32_t> all(4096);
  for (size_t d = 0; d < all.size(); ++d) all[d] = static_cast<int32_t>(d);
  for (auto _ : state)
    benchmark::DoNotOptimize(term_counts(big.run->program.mesh, big.run->timeline, all).steps.size());
}
BENCHMARK(count_devices)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace shardscope

BENCHMARK_MAIN();
