// SPDX-License-Identifier: Apache-2.0
// One product of bf16 in each of the CPU's units against one oneDNN product of the same arrays (bf16 in, f32
// out), in turns in the same process on one thread: `ratio` is of the least CPU times, packing of both
// operands with it. oneDNN adds up in its own order, so the fill is of small integers, where every order
// gives the same bits.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <ctime>
#include <dnnl.hpp>
#include <omp.h>

#include "engine/numerics/product/product.h"

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

Array integers(int64_t rows, int64_t columns) {
  Array out = Array::allocate(ElementType::bf16, {rows, columns});
  auto* bits = reinterpret_cast<uint16_t*>(out.mutable_data());
  constexpr uint16_t kMinusTwoToTwo[] = {0xC000, 0xBF80, 0x0000, 0x3F80, 0x4000};
  for (int64_t i = 0; i < out.element_count(); ++i) bits[i] = kMinusTwoToTwo[i * 7 % 5];
  return out;
}

std::shared_ptr<const MatrixView> matrix(const Array& array, bool transposed) {
  MatrixView out;
  out.type = ElementType::bf16;
  const int64_t rows = array.dims()[0], columns = array.dims()[1];
  out.rows = transposed ? columns : rows;
  out.columns = transposed ? rows : columns;
  out.row_starts = {0, out.rows};
  out.column_starts = {0, out.columns};
  out.tiles = {{array.data(), transposed ? 1 : columns, transposed ? columns : 1}};
  return std::make_shared<const MatrixView>(std::move(out));
}

void against_onednn(benchmark::State& state, Isa isa) {
  const int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  const Array lhs = integers(m, k), rhs = integers(k, n);
  Array ours = Array::allocate(ElementType::f32, {m, n}), theirs = Array::allocate(ElementType::f32, {m, n});
  const Workers one(1);
  BufferPool pool;
  const std::vector<Product> product = {
      {{{matrix(lhs, false), matrix(rhs, true), nullptr}}, ours.mutable_data(), false}};

  using dnnl::memory;
  omp_set_num_threads(1);
  const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(cpu);
  const memory::desc a({m, k}, memory::data_type::bf16, memory::format_tag::ab);
  const memory::desc b({k, n}, memory::data_type::bf16, memory::format_tag::ab);
  const memory::desc c({m, n}, memory::data_type::f32, memory::format_tag::ab);
  const dnnl::matmul matmul(dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, b, c), cpu));
  const auto in = [&](const memory::desc& desc, const Array& array) {
    return memory(desc, cpu, const_cast<std::byte*>(array.data()));
  };
  const std::unordered_map<int, memory> arguments = {
      {DNNL_ARG_SRC, in(a, lhs)}, {DNNL_ARG_WEIGHTS, in(b, rhs)}, {DNNL_ARG_DST, in(c, theirs)}};

  std::vector<double> our_times, their_times;
  for (auto _ : state) {
    our_times.push_back(seconds([&] { run_products(product, pool, one, {}, isa); }));
    their_times.push_back(seconds([&] {
      matmul.execute(stream, arguments);
      stream.wait();
    }));
  }
  if (!std::equal(ours.as<float>().begin(), ours.as<float>().end(), theirs.as<float>().begin()))
    return state.SkipWithError("the two products differ");
  const double least = *std::min_element(our_times.begin(), our_times.end());
  const double their_least = *std::min_element(their_times.begin(), their_times.end());
  state.counters["ratio"] = least / their_least;
  state.counters["GFLOP/s"] = 2e-9 * static_cast<double>(m * k * n) / least;
  state.counters["onednn_GFLOP/s"] = 2e-9 * static_cast<double>(m * k * n) / their_least;
}

}  // namespace
}  // namespace shardscope

int main(int argc, char** argv) {
  for (const shardscope::Isa isa : shardscope::supported_isas()) {
    benchmark::RegisterBenchmark(kernel_name(isa).c_str(), shardscope::against_onednn, isa)
        ->Args({1024, 3072, 12288})
        ->Args({1024, 1024, 1024})
        ->Args({64, 384, 1536})
        ->Iterations(5)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
