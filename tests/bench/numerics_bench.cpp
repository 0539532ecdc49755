// SPDX-License-Identifier: Apache-2.0
// The numeric run of each strategy against one plain OpenBLAS product of the whole, on the same threads, in
// turns in the same process: prints medians and their ratio.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "engine/numerics/gather_result.h"
#include "engine/numerics/interpreter.h"
#include "engine/strategies/strategy.h"

extern "C" void openblas_set_num_threads(int threads);
extern "C" char* openblas_get_corename();

namespace shardscope {
namespace {

constexpr int kThreads = 2;

double seconds(const auto& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

void against_openblas(benchmark::State& state, const Strategy& strategy, const char* mesh_text,
                      const MatmulProblem& p) {
  const Workers workers(kThreads);
  const auto program = strategy.plan(*Mesh::parse(mesh_text), p, {});
  if (!program.ok()) return state.SkipWithError(program.error().text().c_str());
  const auto data = make_problem_data(p, Fill::normal, 1, {}, {}, false, workers, {});
  const auto parameters = shard_inputs(*program, **data, workers, {});
  Interpreter interpreter(*program, workers, false);
  Array whole = Array::allocate(p.dtype, {p.m, p.n});
  const auto plain = [&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(p.m), static_cast<int>(p.n),
                static_cast<int>(p.k), 1, (*data)->lhs.as<float>().data(), static_cast<int>(p.k),
                (*data)->rhs.as<float>().data(), static_cast<int>(p.n), 0, whole.mutable_as<float>().data(),
                static_cast<int>(p.n));
  };
  const auto ours = [&] { benchmark::DoNotOptimize(interpreter.run(*parameters, {}).ok()); };
  openblas_set_num_threads(kThreads);
  for (int warm = 0; warm < 2; ++warm) {
    ours();
    plain();
  }
  std::vector<double> our_times, plain_times;
  for (auto _ : state) {
    const double time = seconds(ours);
    state.SetIterationTime(time);
    our_times.push_back(time);
    plain_times.push_back(seconds(plain));
  }
  state.counters["openblas_s"] = median(plain_times);
  state.counters["ours_s"] = median(our_times);
  state.counters["ratio"] = median(our_times) / median(plain_times);
}

void add_benchmarks() {
  struct Case {
    int64_t m, k, n;
    int iterations;
  };
  for (const Case& c : {Case{1024, 3072, 12288, 5}, Case{64, 384, 1536, 400}}) {
    const MatmulProblem problem{c.m, c.k, c.n, ElementType::f32, ElementType::f32};
    for (const char* mesh : {"row=2,col=4", "row=4,col=2"}) {
      for (const Strategy& strategy : strategies()) {
        if (strategy.kind != StrategyKind::matmul || strategy.roles.front() != "row") continue;
        const std::string name = std::string(strategy.id) + "/" + mesh + "/" + std::to_string(c.m) + "x" +
                                 std::to_string(c.k) + "x" + std::to_string(c.n);
        benchmark::RegisterBenchmark(
            name.c_str(),
            [=, &strategy](benchmark::State& state) { against_openblas(state, strategy, mesh, problem); })
            ->UseManualTime()
            ->Iterations(c.iterations)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
}

}  // namespace
}  // namespace shardscope

int main(int argc, char** argv) {
  // OpenBLAS reads this when it is loaded; a core type set for other machines slows it down and would flatter
  // us.
  if (getenv("OPENBLAS_CORETYPE") != nullptr) {
    unsetenv("OPENBLAS_CORETYPE");
    execv("/proc/self/exe", argv);
  }
  std::printf("OpenBLAS core %s, our kernel %s\n", openblas_get_corename(),
              shardscope::kernel_name(shardscope::best_isa()).c_str());
  shardscope::add_benchmarks();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
