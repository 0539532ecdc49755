// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/product/micro_kernel.h"

#include <algorithm>
#include <cstring>

#include "engine/base/check.h"
#include "engine/numerics/product/bf16_units.h"

namespace shardscope::inline numerics {

namespace {

// One tile of kRows × kVectors vectors of kBytes, in registers: the form of K. Goto and R. van de Geijn,
// "Anatomy of high-performance matrix multiplication", 2008. Always inlined into a function that is compiled
// for one ISA.
template <class T, int kBytes, int kRows, int kVectors>
[[gnu::always_inline]] inline void tile(std::span<const PanelPair<T>> stretches, T* c, int64_t stride,
                                        bool accumulate, int64_t rows, int64_t cols) {
  typedef T Vector __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
  constexpr int kWidth = kBytes / static_cast<int>(sizeof(T));
  constexpr int kColumns = kWidth * kVectors;
  for (int i = 0; i < kRows; ++i) {
    const T* row = c + (i < rows ? i : 0) * stride;
    for (int v = 0; v < kVectors; ++v) __builtin_prefetch(row + v * kWidth, 1);
  }
  Vector sum[kRows][kVectors] = {};
  for (const PanelPair<T>& stretch : stretches) {
    const T* a = stretch.a;
    const T* b = stretch.b;
    for (int64_t k = 0; k < stretch.k; ++k) {
      Vector right[kVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) right[v] = *reinterpret_cast<const Vector*>(b + v * kWidth);
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) sum[i][v] += a[i] * right[v];
      }
      a += kRows;
      b += kColumns;
    }
  }
  if (rows == kRows && cols == kColumns) {
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        Vector* out = reinterpret_cast<Vector*>(c + i * stride + v * kWidth);
        *out = accumulate ? *out + sum[i][v] : sum[i][v];
      }
    }
    return;
  }
  T edge[kRows * kColumns];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      *reinterpret_cast<Vector*>(edge + i * kColumns + v * kWidth) = sum[i][v];
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      T& out = c[i * stride + j];
      const T value = edge[i * kColumns + j];
      out = accumulate ? out + value : value;
    }
  }
}

template <class T>
void baseline_tile(std::span<const PanelPair<T>> stretches, T* c, int64_t stride, bool accumulate,
                   int64_t rows, int64_t cols) {
  tile<T, 16, 4, 2>(stretches, c, stride, accumulate, rows, cols);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2,fma")]] void avx2_tile(std::span<const PanelPair<T>> stretches, T* c, int64_t stride,
                                           bool accumulate, int64_t rows, int64_t cols) {
  tile<T, 32, 6, 2>(stretches, c, stride, accumulate, rows, cols);
}

// Eight sums are what two multiply-adds a cycle of a latency of four keep busy.
template <class T>
[[gnu::target("avx2,fma")]] void low_avx2_tile(std::span<const PanelPair<T>> stretches, T* c, int64_t stride,
                                               bool accumulate, int64_t rows, int64_t cols) {
  tile<T, 32, 4, 2>(stretches, c, stride, accumulate, rows, cols);
}

template <class T>
[[gnu::target("avx512f,avx2,fma")]] void avx512_tile(std::span<const PanelPair<T>> stretches, T* c,
                                                     int64_t stride, bool accumulate, int64_t rows,
                                                     int64_t cols) {
  tile<T, 64, 8, 3>(stretches, c, stride, accumulate, rows, cols);
}
#endif

}  // namespace

std::vector<Isa> supported_isas() {
  std::vector<Isa> isas = {Isa::baseline};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) isas.push_back(Isa::avx2);
  if (isas.size() == 2 && __builtin_cpu_supports("avx512f")) isas.push_back(Isa::avx512);
  if (isas.size() == 3 && has_avx512_bf16()) isas.push_back(Isa::avx512_bf16);
  if (isas.size() >= 3 && has_amx_bf16()) isas.push_back(Isa::amx);
#endif
  return isas;
}

Isa best_isa() {
  return std::min(exact_isa(), Isa::avx512);
}

Isa exact_isa() {
  static const Isa best = supported_isas().back();
  return best;
}

template <class T>
MicroKernel<T> micro_kernel(Isa isa) {
  constexpr int64_t kSize = sizeof(T);
#if defined(__x86_64__)
  if (isa >= Isa::avx512) return {8, 3 * 64 / kSize, 1, avx512_tile<T>};
  if (isa == Isa::avx2) return {6, 2 * 32 / kSize, 1, avx2_tile<T>, 4, low_avx2_tile<T>};
#endif
  (void)isa;
  return {4, 2 * 16 / kSize, 1, baseline_tile<T>};
}

template <>
MicroKernel<Bf16> micro_kernel<Bf16>(Isa isa) {
  CHECK(isa >= Isa::avx512_bf16);
  return isa == Isa::amx ? amx_kernel() : avx512_bf16_kernel();
}
template MicroKernel<float> micro_kernel<float>(Isa);
template MicroKernel<double> micro_kernel<double>(Isa);
template MicroKernel<uint32_t> micro_kernel<uint32_t>(Isa);

std::string kernel_name(Isa isa) {
  switch (isa) {
    case Isa::amx:
      return "packed-avx512-amx";
    case Isa::avx512_bf16:
      return "packed-avx512-bf16";
    case Isa::avx512:
      return "packed-avx512";
    case Isa::avx2:
      return "packed-avx2";
    case Isa::baseline:
      break;
  }
  return "packed-baseline";
}

}  // namespace shardscope::inline numerics
