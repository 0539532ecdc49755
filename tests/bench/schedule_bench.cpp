// SPDX-License-Identifier: Apache-2.0
// Events per second of the scheduler, first the three figures that are asked of it: a ring's totals, a ring
// with its events, an exchange whose messages contend. Every device is played.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

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

// As who times a plan again: which algorithms are fastest is known from the first time.
void time_program(benchmark::State& state, Program program, CollectiveAlgorithm algorithm, bool keep_events,
                  bool one_for_all) {
  FastestAlgorithms known;
  program = resolve_collectives(std::move(program), chip(), algorithm, known).value();
  ScheduleOptions options;
  options.fastest = &known;
  options.one_for_all = one_for_all;
  options.collective = algorithm;
  options.keep_events = keep_events;
  int64_t events = 0;
  for (auto _ : state) events += schedule(program, chip(), options, {}).value().event_count;
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}

Program ring_of(int64_t devices) {
  const Mesh mesh = Mesh::parse(fmt::format("x={}", devices)).value();
  SpmdBuilder b("all-reduce", mesh, {64, 64, 64}, {{"x", "x"}});
  const Value v = b.all_reduce(b.input(ArrayRole::lhs, {16777216}, P("")), "x");
  return b.finish(v, ArrayRole::lhs, {16777216}, P("")).value();
}

void ring_all_reduce(benchmark::State& state, CollectiveAlgorithm algorithm, bool one_for_all) {
  time_program(state, ring_of(state.range(0)), algorithm, false, one_for_all);
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

void ring_kept(benchmark::State& state, bool one_for_all) {
  time_program(state, ring_of(state.range(0)), CollectiveAlgorithm::ring, true, one_for_all);
}
BENCHMARK_CAPTURE(ring_kept, each_device, false)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ring_kept, one_device_for_all, true)->Arg(512)->Unit(benchmark::kMillisecond);

// Every device has something for every other, and all of it goes at once: what a link has to choose from
// fills queues.
Program exchange_on(const char* axes) {
  const Mesh mesh = Mesh::parse(axes).value();
  std::vector<std::string> names;
  for (const MeshAxis& axis : mesh.axes()) names.push_back(axis.name);
  SpmdBuilder b("all-to-all", mesh, {64, 64, 64}, {});
  const Value in = b.input(ArrayRole::lhs, {512 * 512, 8}, P(""));
  return b.finish(b.all_to_all(in, names, 0), ArrayRole::lhs, {512 * 512, 8}, P("")).value();
}

void exchange(benchmark::State& state, const char* axes, bool keep_events) {
  time_program(state, exchange_on(axes), CollectiveAlgorithm::direct, keep_events, false);
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

// Of the thread that asks, with what the kernel does for it.
double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void print_rate(const char* what, const Program& program, const ScheduleOptions& options, double asked) {
  constexpr int kTimes = 7;
  std::vector<double> rates;
  for (int i = 0; i < kTimes; ++i) {
    const double begin = processor_seconds();
    const int64_t events = schedule(program, chip(), options, {}).value().event_count;
    rates.push_back(1e-6 * static_cast<double>(events) / (processor_seconds() - begin));
  }
  std::sort(rates.begin(), rates.end());
  fmt::print("{:<58} {:7.1f} M events/s (asked {:.0f})\n", what, rates[kTimes / 2], asked);
}

void print_asked() {
  ScheduleOptions options;
  options.one_for_all = false;
  options.collective = CollectiveAlgorithm::ring;
  options.keep_events = false;
  print_rate("all-reduce round a ring of 512 devices, totals", ring_of(512), options, 40);
  options.keep_events = true;
  print_rate("the same, its events kept", ring_of(512), options, 10);
  options.collective = CollectiveAlgorithm::direct;
  options.keep_events = false;
  print_rate("all-to-all of 512 devices on 8x8x8, links crossed", exchange_on("x=8,y=8,z=8"), options, 5);
}

}  // namespace

int main(int argc, char** argv) {
  print_asked();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
