// SPDX-License-Identifier: Apache-2.0
// The tuner on the presets: a mesh and a strategy per layer of one block, for numbers of chips. Time is the
// wall's, CPU that of all threads.
#include <benchmark/benchmark.h>

#include "engine/tune/model_file.h"
#include "engine/tune/tune.h"

namespace {

using namespace shardscope;

void tuner(benchmark::State& state, TuneStep step, int threads) {
  TuneRequest request;
  request.model = find_model("gpt3").value();
  request.chips = state.range(0);
  request.step = step;
  TuneExecution execution;
  execution.threads = threads;
  TuneResult result;
  for (auto _ : state) result = tune(request, execution, {}).value();
  state.counters["timed"] = static_cast<double>(result.timed);
  state.counters["pruned"] = static_cast<double>(result.pruned);
  state.counters["best_s"] = result.candidates[static_cast<size_t>(result.best)].total_s;
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->Arg(64)->Arg(256)->Iterations(1)->MeasureProcessCPUTime()->UseRealTime()->Unit(
      benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(tuner, gpt3_inference, TuneStep::inference, 1)->Apply(sizes);
BENCHMARK_CAPTURE(tuner, gpt3_inference_all_cores, TuneStep::inference, 0)->Apply(sizes);
BENCHMARK_CAPTURE(tuner, gpt3_training, TuneStep::training, 1)->Apply(sizes);
BENCHMARK_CAPTURE(tuner, gpt3_training_all_cores, TuneStep::training, 0)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
