// SPDX-License-Identifier: Apache-2.0
// Reading and printing HLO text: a module of so many instructions as XLA prints them.
#include <benchmark/benchmark.h>
#include <optional>
#include <string>

#include "engine/program/text/hlo_text.h"

namespace {

using namespace shardscope;

std::string module_text(int64_t instructions) {
  std::string text =
      "HloModule big, num_partitions=8\n\n%sum (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n"
      "  %b = f32[] parameter(1)\n  ROOT %s = f32[] add(f32[] %a, f32[] %b)\n}\n\nENTRY %main {\n"
      "  %x.0 = f32[256,256]{1,0:T(8,128)} parameter(0), sharding={devices=[4,2]<=[8]}\n";
  for (int64_t i = 1; i <= instructions; ++i) {
    const std::string name = "x." + std::to_string(i), last = "x." + std::to_string(i - 1);
    const std::string operand = "f32[256,256]{1,0:T(8,128)} %" + last;
    text += "  %" + name + " = f32[256,256]{1,0:T(8,128)} ";
    if (i % 3 == 0) {
      text += "all-reduce(" + operand + "), channel_id=" + std::to_string(i) +
              ", replica_groups=[2,4]<=[8], use_global_device_ids=true, to_apply=%sum, "
              "metadata={op_name=\"jit(step)/dot_general\" source_file=\"model.py\" source_line=12}\n";
    } else if (i % 3 == 1) {
      text += "dot(" + operand + ", " + operand + "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
    } else {
      text += "add(" + operand + ", " + operand + ")\n";
    }
  }
  return text + "}\n";
}

// Bytes alone, as the measure of the machine at that moment.
void pass_over(benchmark::State& state) {
  const std::string text = module_text(state.range(0));
  for (auto _ : state) {
    uint64_t hash = 14695981039346656037ULL;  // FNV-1a: a step per byte
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    benchmark::DoNotOptimize(hash);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(pass_over)->Arg(100000)->Unit(benchmark::kMillisecond);

// Without giving the program's memory back.
void parse(benchmark::State& state) {
  const std::string text = module_text(state.range(0));
  for (auto _ : state) {
    std::optional<Result<Program>> program = parse_program(text);
    benchmark::DoNotOptimize(program->ok());
    state.PauseTiming();
    program.reset();
    state.ResumeTiming();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(parse)->Arg(1000)->Arg(100000)->Unit(benchmark::kMillisecond);

void print(benchmark::State& state) {
  const std::string text = module_text(state.range(0));
  const auto program = parse_program(text);
  for (auto _ : state) benchmark::DoNotOptimize(print_program(*program).size());
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(print)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
