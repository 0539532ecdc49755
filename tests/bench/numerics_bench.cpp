// SPDX-License-Identifier: Apache-2.0
// The numeric run of each strategy against one plain OpenBLAS product of the whole, in turns in the same
// process. `ratio` is of the medians of wall time on two threads, `least` of the least times, and `cpu` of
// the least CPU times on one thread, which other programs on the machine disturb least.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unistd.h>

#include "engine/numerics/check/gather_result.h"
#include "engine/numerics/rules/interpreter.h"
#include "engine/strategies/strategy.h"

extern "C" void openblas_set_num_threads(int threads);
extern "C" char* openblas_get_corename();

namespace shardscope {
namespace {

constexpr int kThreads = 2;

double wall_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double thread_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds(double (*now)(), const auto& body) {
  const double start = now();
  body();
  return now() - start;
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

double least(const std::vector<double>& times) {
  return *std::min_element(times.begin(), times.end());
}

void against_openblas(benchmark::State& state, const Strategy& strategy, const char* mesh_text,
                      const MatmulProblem& p) {
  const Workers one(1), all(kThreads);
  const auto program = strategy.plan(*Mesh::parse(mesh_text), p, {});
  if (!program.ok()) return state.SkipWithError(program.error().text().c_str());
  const auto data = make_problem_data({p, Fill::normal, 1, {}, {}, false}, all, {});
  const auto arrays = program_arrays(*program, **data, all, {});
  const auto parameters = shard_inputs(*program, *arrays, all, {});
  Array whole = Array::allocate(p.dtype, {p.m, p.n});
  const auto plain = [&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(p.m), static_cast<int>(p.n),
                static_cast<int>(p.k), 1, (*data)->lhs.as<float>().data(), static_cast<int>(p.k),
                (*data)->rhs.as<float>().data(), static_cast<int>(p.n), 0, whole.mutable_as<float>().data(),
                static_cast<int>(p.n));
  };
  struct Turns {
    const Workers& workers;
    double (*now)();
    Interpreter interpreter;
    std::vector<double> ours, plain;
  };
  Turns cpu{one, thread_cpu_s, Interpreter(*program, one, false), {}, {}};
  Turns wall{all, wall_s, Interpreter(*program, all, false), {}, {}};
  const auto take_turn = [&](Turns& turns) {
    openblas_set_num_threads(turns.workers.threads());
    turns.ours.push_back(
        seconds(turns.now, [&] { benchmark::DoNotOptimize(turns.interpreter.run(*parameters, {}).ok()); }));
    turns.plain.push_back(seconds(turns.now, plain));
  };
  for (int warm = 0; warm < 2; ++warm) {
    take_turn(cpu);
    take_turn(wall);
  }
  wall.ours.clear();
  wall.plain.clear();
  for (auto _ : state) {
    take_turn(cpu);
    take_turn(wall);
    state.SetIterationTime(wall.ours.back());
  }
  state.counters["openblas_s"] = median(wall.plain);
  state.counters["ratio"] = median(wall.ours) / median(wall.plain);
  state.counters["least"] = least(wall.ours) / least(wall.plain);
  state.counters["cpu"] = least(cpu.ours) / least(cpu.plain);
}

void add_benchmarks() {
  struct Case {
    int64_t m, k, n;
    int iterations;
  };
  for (const Case& c : {Case{1024, 3072, 12288, 4}, Case{64, 384, 1536, 300}}) {
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
