// SPDX-License-Identifier: Apache-2.0
// The record: rows a second written and read, and how long a view waits for a window of a lane, in memory and
// from a file. The events have no pattern, so that every device's are rows of their own.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <unistd.h>

#include "engine/trace/workspace.h"
#include "tests/engine/run/unalike_run.h"

namespace {

using namespace shardscope;

RunPtr run_of(int64_t events) {
  static std::map<int64_t, RunPtr> made;
  RunPtr& run = made[events];
  if (!run) run = make_unalike_run(events);
  return run;
}

// A folder of this program's own, removed at the end.
struct Folder {
  std::string path =
      (std::filesystem::temp_directory_path() / ("trace_bench-" + std::to_string(getpid()))).string();
  Folder() { std::filesystem::create_directory(path); }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
};

std::string file_of(const std::string& name) {
  static const Folder folder;
  return folder.path + "/" + name;
}

std::shared_ptr<Workspace> recorded(int64_t events) {
  static std::map<int64_t, std::shared_ptr<Workspace>> made;
  std::shared_ptr<Workspace>& workspace = made[events];
  if (!workspace) {
    workspace = Workspace::open(file_of(std::to_string(events) + ".db")).value();
    (void)workspace->record(run_of(events)).value();
    if (const auto done = workspace->wait(); !done.ok()) std::abort();
  }
  return workspace;
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// How long copying a run's events in memory takes, in place: what other times are shown as multiples of,
// since machines differ.
double seconds_of_a_copy(const Run& run) {
  std::vector<Event> copy = run.timeline.events;  // its memory is touched
  double least = 1e9;
  for (int i = 0; i < 5; ++i) {
    const double begin = processor_seconds();
    std::copy(run.timeline.events.begin(), run.timeline.events.end(), copy.begin());
    benchmark::DoNotOptimize(copy.data());
    least = std::min(least, processor_seconds() - begin);
  }
  return least;
}

// Over the iterations of a benchmark; without what stands between stop() and go_on().
class ProcessorTime {
 public:
  explicit ProcessorTime(benchmark::State& state, const Run& run)
      : state_(state), copy_(seconds_of_a_copy(run)), since_(processor_seconds()) {}
  ProcessorTime(const ProcessorTime&) = delete;
  ProcessorTime& operator=(const ProcessorTime&) = delete;
  ~ProcessorTime() {
    stop();
    const auto runs = static_cast<double>(state_.iterations());
    state_.counters["copies"] = seconds_ / runs / copy_;
    state_.counters["rows/cpu s"] = static_cast<double>(state_.range(0)) * runs / seconds_;
  }
  void stop() { seconds_ += processor_seconds() - since_; }
  void go_on() { since_ = processor_seconds(); }

 private:
  benchmark::State& state_;
  double copy_, since_, seconds_ = 0;
};

void count_rows(benchmark::State& state) {
  state.counters["rows/s"] = benchmark::Counter(static_cast<double>(state.iterations() * state.range(0)),
                                                benchmark::Counter::kIsRate);
}

void record(benchmark::State& state) {
  const RunPtr run = run_of(state.range(0));
  const std::string path = file_of("record.db");
  ProcessorTime time(state, *run);
  std::chrono::duration<double> to_closed{};
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    auto workspace = Workspace::open(path).value();
    (void)workspace->record(run).value();
    if (const auto done = workspace->wait(); !done.ok()) state.SkipWithError(done.error().text().c_str());
    state.PauseTiming();
    time.stop();
    workspace.reset();  // waits until the disk has everything
    to_closed += std::chrono::steady_clock::now() - begin;
    state.counters["bytes/row"] =
        static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(state.range(0));
    std::filesystem::remove(path);
    time.go_on();
    state.ResumeTiming();
  }
  count_rows(state);
  state.counters["rows/s closed"] =
      static_cast<double>(state.iterations() * state.range(0)) / to_closed.count();
}
BENCHMARK(record)
    ->Arg(100'000)
    ->Arg(2'000'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

void load(benchmark::State& state) {
  const auto workspace = recorded(state.range(0));
  const ProcessorTime time(state, *run_of(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(workspace->load(1).value());
  count_rows(state);
}
BENCHMARK(load)->Arg(100'000)->Arg(2'000'000)->Unit(benchmark::kMillisecond);

void open_memory_trace(benchmark::State& state) {
  const RunPtr run = run_of(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(memory_trace(run));
}
BENCHMARK(open_memory_trace)->Arg(100'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);

void open_stored_trace(benchmark::State& state) {
  const auto workspace = recorded(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(workspace->trace(1).value());
}
BENCHMARK(open_stored_trace)->Arg(100'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);

// The runs of a file of before, and the whole of one as one frame shows it.
void reopen_and_draw(benchmark::State& state) {
  const std::string path = recorded(state.range(0))->path();
  for (auto _ : state) {
    const auto workspace = Workspace::open(path, true).value();
    benchmark::DoNotOptimize(workspace->runs().value());
    const auto trace = workspace->trace(1).value();
    for (int device = 0; device < trace->devices(); ++device)
      for (int lane = 0; lane < std::ssize(trace->lanes()); ++lane)
        benchmark::DoNotOptimize(trace->bins(DeviceId(device), lane, {0, trace->total()}, 1000).value());
  }
}
BENCHMARK(reopen_and_draw)->Arg(100'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);

// Every lane of every device at 1000 pixels, as one frame asks; the window is a part of the run, in
// thousandths.
void frame(benchmark::State& state, const TraceSource& trace) {
  const Picoseconds length = trace.total() * state.range(1) / 1000;
  std::mt19937_64 random(3);
  int64_t bins = 0;
  for (auto _ : state) {
    const Picoseconds room = trace.total() - length;
    const Picoseconds start =
        room == 0 ? 0 : static_cast<Picoseconds>(random() % static_cast<uint64_t>(room));
    for (int device = 0; device < trace.devices(); ++device)
      for (int lane = 0; lane < std::ssize(trace.lanes()); ++lane)
        bins += static_cast<int64_t>(
            trace.bins(DeviceId(device), lane, {start, start + length}, 1000).value().size());
  }
  state.counters["bins"] = benchmark::Counter(static_cast<double>(bins), benchmark::Counter::kAvgIterations);
}

void memory_bins(benchmark::State& state) {
  frame(state, *memory_trace(run_of(state.range(0))));
}
void stored_bins(benchmark::State& state) {
  frame(state, *recorded(state.range(0))->trace(1).value());
}
void every_zoom(benchmark::internal::Benchmark* bench) {
  for (const int64_t events : {100'000, 10'000'000})
    for (const int64_t permille : {1000, 500, 200, 100, 50, 20, 10, 5, 1}) bench->Args({events, permille});
  bench->ArgNames({"events", "permille"})->Unit(benchmark::kMillisecond);
}
BENCHMARK(memory_bins)->Apply(every_zoom);
BENCHMARK(stored_bins)->Apply(every_zoom);

void stored_event(benchmark::State& state) {
  const auto trace = recorded(state.range(0))->trace(1).value();
  std::mt19937_64 random(5);
  for (auto _ : state) {
    const auto number = static_cast<int32_t>(random() % static_cast<uint64_t>(state.range(0)));
    benchmark::DoNotOptimize(trace->event(number).value());
  }
}
BENCHMARK(stored_event)->Arg(100'000)->Arg(10'000'000)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
