// SPDX-License-Identifier: Apache-2.0
// Long modules from text to timeline: train steps of a dense transformer of 126 layers and of one of experts.
#include <benchmark/benchmark.h>
#include <fstream>
#include <iostream>
#include <string_view>

#include "engine/program/analysis/outline.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_run.h"
#include "tests/bench/train_step.h"

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
