// SPDX-License-Identifier: Apache-2.0
// Events per second of the scheduler: a ring all-reduce, totals only, and the strategies of the default
// preset.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "engine/program/build/builder.h"
#include "engine/schedule/schedule.h"
#include "engine/strategies/strategy.h"

namespace {

using namespace shardscope;

Hardware chip() {
  Hardware h;
  h.name = "bench";
  h.compute.peak_flops_per_s = {{ElementType::f32, 100e12}};
  h.memory.hbm_bytes_per_s = 819e9;
  h.link.latency_s = 1e-6;
  h.link.bytes_per_s = 45e9;
  return h;
}

void time_program(benchmark::State& state, const Program& program, CollectiveAlgorithm algorithm,
                  bool keep_events, bool one_for_all) {
  ScheduleOptions options;
  options.one_for_all = one_for_all;
  options.collective = algorithm;
  options.keep_events = keep_events;
  int64_t events = 0;
  for (auto _ : state) events += schedule(program, chip(), options, {}).value().event_count;
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}

void ring_all_reduce(benchmark::State& state, CollectiveAlgorithm algorithm, bool one_for_all) {
  const Mesh mesh = Mesh::parse(fmt::format("x={}", state.range(0))).value();
  SpmdBuilder b("all-reduce", mesh, {64, 64, 64}, {{"x", "x"}});
  const Value v = b.all_reduce(b.input(ArrayRole::lhs, {16777216}, P("")), "x");
  const Program program = b.finish(v, ArrayRole::lhs, {16777216}, P("")).value();
  time_program(state, program, algorithm, false, one_for_all);
}
BENCHMARK_CAPTURE(ring_all_reduce, ring, CollectiveAlgorithm::ring, false)
    ->Arg(512)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ring_all_reduce, bidirectional, CollectiveAlgorithm::bidirectional, false)
    ->Arg(512)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ring_all_reduce, one_device_for_all, CollectiveAlgorithm::ring, true)
    ->Arg(512)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);

Program ring_of(int64_t devices) {
  const Mesh mesh = Mesh::parse(fmt::format("x={}", devices)).value();
  SpmdBuilder b("all-reduce", mesh, {64, 64, 64}, {{"x", "x"}});
  const Value v = b.all_reduce(b.input(ArrayRole::lhs, {16777216}, P("")), "x");
  return b.finish(v, ArrayRole::lhs, {16777216}, P("")).value();
}

void ring_kept(benchmark::State& state, bool one_for_all) {
  time_program(state, ring_of(state.range(0)), CollectiveAlgorithm::ring, true, one_for_all);
}
BENCHMARK_CAPTURE(ring_kept, each_device, false)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ring_kept, one_device_for_all, true)->Arg(512)->Unit(benchmark::kMillisecond);

// Every device has something for every other, and all of it goes at once: what a link has to choose from
// fills queues.
void exchange(benchmark::State& state, const char* axes, bool keep_events) {
  const Mesh mesh = Mesh::parse(axes).value();
  std::vector<std::string> names;
  for (const MeshAxis& axis : mesh.axes()) names.push_back(axis.name);
  SpmdBuilder b("all-to-all", mesh, {64, 64, 64}, {});
  const Value in = b.input(ArrayRole::lhs, {512 * 512, 8}, P(""));
  const Value v = b.all_to_all(in, names, 0);
  const Program program = b.finish(v, ArrayRole::lhs, {512 * 512, 8}, P("")).value();
  time_program(state, program, CollectiveAlgorithm::direct, keep_events, false);
}
BENCHMARK_CAPTURE(exchange, torus, "x=8,y=8,z=8", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(exchange, torus_kept, "x=8,y=8,z=8", true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(exchange, torus_of_two_axes, "x=16,y=32", false)->Unit(benchmark::kMillisecond);

void strategy(benchmark::State& state, const char* id) {
  const Mesh mesh = Mesh::parse("row=2,col=4").value();
  const Program program = find_strategy(id).value()->plan(mesh, {1024, 3072, 12288}, {}).value();
  time_program(state, program, CollectiveAlgorithm::automatic, true, false);
}
BENCHMARK_CAPTURE(strategy, collective_os, "collective.os");
BENCHMARK_CAPTURE(strategy, wang_os, "wang.os");
BENCHMARK_CAPTURE(strategy, meshslice_os, "meshslice.os");

// Rows are an open axis, columns rings: one device of each row stands for it.
void open_rows(benchmark::State& state, bool one_for_all) {
  std::vector<MeshAxis> axes = Mesh::parse("row=64,col=64").value().axes();
  axes[0].wrap = false;
  const Mesh mesh = Mesh::make(axes, {}).value();
  const Program program =
      find_strategy("collective.os").value()->plan(mesh, {65536, 65536, 65536}, {}).value();
  time_program(state, program, CollectiveAlgorithm::automatic, false, one_for_all);
}
BENCHMARK_CAPTURE(open_rows, each_device, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(open_rows, one_device_a_row, true)->Unit(benchmark::kMillisecond);

// A transformer block, products and collectives, on meshes of many devices. What is not as the chip says, or
// open, splits the devices into classes.
void block(benchmark::State& state, const char* id, bool wraps, bool slow_device) {
  std::vector<MeshAxis> axes = Mesh::parse(fmt::format("row={0},col={0}", state.range(0))).value().axes();
  for (MeshAxis& axis : axes) axis.wrap = wraps;
  const Mesh mesh = Mesh::make(axes, {}).value();
  const Program program = find_strategy(id).value()->plan(mesh, {65536, 65536, 65536}, {}).value();
  ScheduleOptions options;
  options.keep_events = false;
  if (slow_device) options.overrides.devices = {{mesh.device_count() / 3, 0.5}};
  int64_t events = 0;
  for (auto _ : state) events += schedule(program, chip(), options, {}).value().event_count;
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(block, transformer, "transformer.block", true, false)
    ->Arg(64)
    ->Arg(256)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(block, mlp_open, "megatron.mlp", false, false)
    ->Arg(64)
    ->Arg(256)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(block, mlp_slow_device, "megatron.mlp", true, true)
    ->Arg(64)
    ->Arg(256)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(block, product_slow_device, "collective.os", true, true)
    ->Arg(64)
    ->Arg(256)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(block, product_open, "collective.os", false, false)
    ->Arg(64)
    ->Arg(256)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
