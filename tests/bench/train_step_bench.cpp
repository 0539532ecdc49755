// SPDX-License-Identifier: Apache-2.0
// Long modules from text to timeline: train steps of a dense transformer of 126 layers and of one of experts.
#include <benchmark/benchmark.h>
#include <fstream>
#include <iostream>
#include <string_view>

#include "engine/program/analysis/outline.h"
#include "engine/program/mlir/module_text.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_run.h"
#include "engine/session/proof/module_check.h"
#include "tests/bench/train_step.h"
#include "tests/bench/train_step_text.h"

namespace {

using namespace shardscope;

Program read(const std::string& text) {
  return parse_program(text).value();
}

void outlined(benchmark::State& state) {
  const Program program = read(after_optimizations(llama_405b()));
  for (auto _ : state) benchmark::DoNotOptimize(outline_of(program).nodes.size());
  state.counters["instructions"] = static_cast<double>(program.instruction_count());
}
BENCHMARK(outlined)->Unit(benchmark::kMillisecond);

void partitioned(benchmark::State& state) {
  const Program program = read(before_optimizations(mixtral_8x7b()));
  for (auto _ : state) benchmark::DoNotOptimize(partition(program, {}).ok());
  state.counters["instructions"] = static_cast<double>(program.instruction_count());
}
BENCHMARK(partitioned)->Unit(benchmark::kMillisecond);

void timed(benchmark::State& state) {
  const Program program = read(after_optimizations(state.range(0) == 0 ? llama_405b() : mixtral_8x7b()));
  ModuleRunOptions how;
  how.check = CheckMode::off;
  for (auto _ : state) {
    const auto run = execute_module(program, how, {});
    if (!run.ok()) state.SkipWithError(run.error().text().c_str());
  }
}
BENCHMARK(timed)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// From StableHLO's text to what hlo partition says: layers of a transformer one after the other; with its
// proof on smaller arrays, or without.
void answered(benchmark::State& state, CheckMode check) {
  const std::string text = train_step_text(TrainStepForm::stablehlo, state.range(0));
  int64_t instructions = 0;
  for (auto _ : state) {
    auto read = read_hlo_or_mlir(text, "step");
    PartitionOptions how;
    how.propagate = true;
    instructions = read->program.instruction_count();
    auto made = partition(read_stage(std::move(read->program)), how);
    if (!made.ok()) return state.SkipWithError(made.error().text().c_str());
    if (check == CheckMode::off) continue;
    const auto proof = check_read_module({shared_stage(*std::move(made)), read->cut, how}, {check}, {});
    if (!proof.ok() || !proof->report.allclose)
      return state.SkipWithError(proof.ok() ? proof->report.reason.c_str() : proof.error().text().c_str());
  }
  state.counters["instructions"] = static_cast<double>(instructions);
  state.counters["megabytes"] = static_cast<double>(text.size()) / 1e6;
}
BENCHMARK_CAPTURE(answered, proved, CheckMode::automatic)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(answered, off, CheckMode::off)->Arg(24)->Arg(1000)->Unit(benchmark::kMillisecond);

// The modules themselves, for trying the program on them: FILE.hlo of "llama" or "mixtral", before or after.
int write(int argc, char** argv) {
  const std::string_view what = argc > 2 ? argv[2] : "";
  const TrainStep step = what.starts_with("mixtral") ? mixtral_8x7b() : llama_405b();
  if (argc != 4) {
    std::cerr << "train_step_bench --write llama.before|llama.after|mixtral.before|mixtral.after FILE\n";
    return 2;
  }
  std::ofstream(argv[3]) << (what.ends_with("before") ? before_optimizations(step)
                                                      : after_optimizations(step));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--write") return write(argc, argv);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
