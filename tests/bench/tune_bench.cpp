// SPDX-License-Identifier: Apache-2.0
// The tuner on the presets: a mesh and a strategy per layer of one block, for numbers of chips.
#include <benchmark/benchmark.h>

#include "engine/tune/model_file.h"
#include "engine/tune/tune.h"

namespace {

using namespace shardscope;

void tuner(benchmark::State& state, const char* model, int threads) {
  TuneRequest request;
  request.model = find_model(model).value();
  request.chips = state.range(0);
  TuneExecution execution;
  execution.threads = threads;
  TuneResult result;
  for (auto _ : state) result = tune(request, execution, {}).value();
  state.counters["timed"] = static_cast<double>(result.timed);
  state.counters["pruned"] = static_cast<double>(result.pruned);
  state.counters["best_s"] = result.candidates[static_cast<size_t>(result.best)].total_s;
}
BENCHMARK_CAPTURE(tuner, gpt3, "gpt3", 1)->Arg(64)->Arg(256)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tuner, gpt3_all_cores, "gpt3", 0)
    ->Arg(64)
    ->Arg(256)
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
