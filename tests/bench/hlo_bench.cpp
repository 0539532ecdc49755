// SPDX-License-Identifier: Apache-2.0
// Reading and printing modules: short lines as XLA prints them, and a transformer's training step as HLO and
// as StableHLO. Memory is what operator new gave out, as malloc rounds it, from before the reading on.
#include <algorithm>
#include <atomic>
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <optional>
#include <string>

#include "engine/program/mlir/module_text.h"
#include "engine/program/text/hlo_text.h"
#include "tests/bench/train_step_text.h"

namespace {
std::atomic<int64_t> g_bytes, g_most;
}  // namespace

void* operator new(size_t size) {
  void* const made = std::malloc(size);
  if (made == nullptr) throw std::bad_alloc();
  const int64_t now = g_bytes += static_cast<int64_t>(malloc_usable_size(made) + sizeof(size_t));
  if (now > g_most) g_most = now;
  return made;
}
void operator delete(void* given) noexcept {
  if (given != nullptr) g_bytes -= static_cast<int64_t>(malloc_usable_size(given) + sizeof(size_t));
  std::free(given);
}
void operator delete(void* given, size_t) noexcept {
  operator delete(given);
}

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

// Without giving the program's memory back. "peak" and "kept": bytes of memory per byte of text.
void read_train_step(benchmark::State& state, TrainStepForm form) {
  const std::string text = train_step_text(form, state.range(0));
  const auto whole = static_cast<double>(text.size());
  for (auto _ : state) {
    const int64_t before = g_bytes;
    g_most = before;
    std::optional<Result<HloText>> read = read_hlo_or_mlir(text, "step");
    benchmark::DoNotOptimize(read->ok());
    state.PauseTiming();
    if (!read->ok()) state.SkipWithError(read->error().what.c_str());
    state.counters["peak"] = static_cast<double>(g_most - before) / whole;
    state.counters["kept"] = static_cast<double>(g_bytes - before) / whole;
    read.reset();
    state.ResumeTiming();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK_CAPTURE(read_train_step, hlo, TrainStepForm::hlo)->Arg(150)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_train_step, stablehlo, TrainStepForm::stablehlo)
    ->Arg(400)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
