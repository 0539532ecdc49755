// SPDX-License-Identifier: Apache-2.0
// Schedules of kernels per second, and grouped matmul against one plain OpenBLAS product per group, in turns
// in the same process on one thread: `ratio` is of the least CPU times.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

#include "engine/grouped/grouped.h"
#include "engine/kernels/catalogue/catalogue.h"
#include "engine/kernels/catalogue/check_text.h"
#include "engine/kernels/machine/explore.h"

extern "C" void openblas_set_num_threads(int threads);

namespace shardscope {
namespace {

double thread_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds(const auto& body) {
  const double start = thread_cpu_s();
  body();
  return thread_cpu_s() - start;
}

// With its numbers, its detectors and its check, as `kernel run` does; `steps/s` are moves of the machine.
void schedules(benchmark::State& state, const char* id, int devices) {
  const auto found = kernels::find_kernel(id);
  const kernels::KernelEntry& entry = *found;
  kernels::KernelOptions options;
  if (entry.axes == 1) options.mesh = *Mesh::make({{"x", devices, true}});
  if (entry.axes == 2) options.mesh = *Mesh::make({{"x", 2, true}, {"y", devices / 2, true}});
  const kernels::KernelProgram program = *build_kernel(entry, options);
  const kernels::KernelData inputs = fill_inputs(program, 0);
  const kernels::KernelData expected = entry.expected(program, inputs);
  int64_t steps = 0, runs = 0;
  for (auto _ : state) {
    const kernels::Outcome outcome =
        run_schedule(program, &inputs, &expected, kernels::schedule_of(static_cast<uint64_t>(runs)));
    steps += outcome.steps;
    ++runs;
  }
  state.counters["schedules/s"] = benchmark::Counter(static_cast<double>(runs), benchmark::Counter::kIsRate);
  state.counters["steps/s"] = benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(schedules, ag_ring_8, "ag.ring", 8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(schedules, ar_two_slot_8, "ar.two_slot", 8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(schedules, rs_bidi_8, "rs.bidi", 8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(schedules, matmul_tiled, "matmul.tiled", 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(schedules, slow_ag_gemm_ar_4, "slow_ag_gemm_ar", 4)->Unit(benchmark::kMillisecond);

// What the editor does while somebody types: reads the text, builds it and tries 300 schedules, on 8 devices
// with all cores; a second is what it may take.
void edit_to_findings(benchmark::State& state, const char* id) {
  std::string text;
  const auto found = kernels::find_kernel(id);
  for (const std::string& line : found->listing.lines) text += line + "\n";
  kernels::KernelOptions options;
  options.mesh = *Mesh::make({{"x", 8, true}});
  kernels::ExploreOptions how;
  how.schedules = 300;
  for (auto _ : state) {
    const auto checked = kernels::check_text(text, options, how, Workers(), {});
    if (!checked.ok() || !checked->run) state.SkipWithError("not checked");
  }
  state.counters["lines"] = static_cast<double>(std::ranges::count(text, '\n'));
}
BENCHMARK_CAPTURE(edit_to_findings, ar_two_slot, "ar.two_slot")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(edit_to_findings, ar_two_phase, "ar.two_phase")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

Array numbers(ElementType type, std::vector<int64_t> dims) {
  Array out = Array::allocate(type, std::move(dims));
  for (int64_t i = 0; i < out.element_count(); ++i)
    out.mutable_as<float>()[static_cast<size_t>(i)] = static_cast<float>(i % 17 - 8);
  return out;
}

// f32; groups that start inside tiles, as tokens sorted by expert do.
void gmm_against_openblas(benchmark::State& state) {
  const int64_t m = state.range(0), k = state.range(1), n = state.range(2), groups = 8;
  std::vector<int64_t> sizes;
  for (int64_t g = 0; g < groups; ++g) sizes.push_back(m / groups + (g % 2 == 0 ? 17 : -17));
  const Array lhs = numbers(ElementType::f32, {m, k}), rhs = numbers(ElementType::f32, {groups, k, n});
  Array plain = Array::allocate(ElementType::f32, {m, n});
  const Workers one(1);
  openblas_set_num_threads(1);
  std::vector<double> ours, theirs;
  for (auto _ : state) {
    ours.push_back(seconds([&] { benchmark::DoNotOptimize(gmm(lhs, rhs, sizes, {}, one, {}).ok()); }));
    theirs.push_back(seconds([&] {
      int64_t row = 0;
      for (int64_t g = 0; g < groups; ++g) {
        const int rows = static_cast<int>(sizes[static_cast<size_t>(g)]);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, static_cast<int>(n), static_cast<int>(k),
                    1.0F, lhs.as<float>().data() + row * k, static_cast<int>(k),
                    rhs.as<float>().data() + g * k * n, static_cast<int>(n), 0.0F,
                    plain.mutable_as<float>().data() + row * n, static_cast<int>(n));
        row += rows;
      }
    }));
  }
  const double least = *std::min_element(ours.begin(), ours.end());
  const double plain_least = *std::min_element(theirs.begin(), theirs.end());
  state.counters["ratio"] = least / plain_least;
  state.counters["GFLOP/s"] = 2e-9 * static_cast<double>(m * k * n) / least;
  state.counters["openblas_GFLOP/s"] = 2e-9 * static_cast<double>(m * k * n) / plain_least;
}
BENCHMARK(gmm_against_openblas)
    ->Args({2048, 1024, 1024})
    ->Args({4096, 512, 2048})
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace shardscope

BENCHMARK_MAIN();
