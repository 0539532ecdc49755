// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/product/bf16_units.h"

#include <algorithm>
#include <cstring>

#include "engine/base/check.h"
#include "engine/base/machine/processor.h"
#include "engine/numerics/product/bf16_panels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace shardscope::inline numerics {
namespace {

#if defined(__x86_64__)
// What the unit is told of its eight tiles: sixteen lines of 64 bytes each.
struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t bytes_per_line[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t lines[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileConfig kConfig;

[[gnu::target("avx512f")]] void add_tiles(const float* sum, float* c, int64_t stride, bool accumulate,
                                          int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) {
    const float* from = sum + r * kBf16Side;
    float* to = c + r * stride;
    if (accumulate) {
      for (int64_t j = 0; j < columns; ++j) to[j] += from[j];
    } else {
      std::memcpy(to, from, static_cast<size_t>(columns) * sizeof(float));
    }
  }
}

[[gnu::target("amx-tile,amx-bf16,avx512f")]] void amx_tiles(std::span<const PanelPair<Bf16>> stretches,
                                                            float* c, int64_t stride, bool accumulate,
                                                            int64_t rows, int64_t columns) {
  constexpr int kLine = 64;
  _tile_loadconfig(&kConfig);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (const PanelPair<Bf16>& stretch : stretches) {
    const Bf16* a = stretch.a;
    const Bf16* b = stretch.b;
    for (int64_t k = 0; k < stretch.k; k += kBf16Depth) {
      _tile_loadd(4, a, kLine);
      _tile_loadd(6, b, kLine);
      _tile_dpbf16ps(0, 4, 6);
      _tile_loadd(7, b + kBf16TileElements, kLine);
      _tile_dpbf16ps(1, 4, 7);
      _tile_loadd(5, a + kBf16TileElements, kLine);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
      a += kBf16ChunkElements;
      b += kBf16ChunkElements;
    }
  }
  alignas(64) float sum[kBf16Side * kBf16Side];
  constexpr int kSumLine = kBf16Side * static_cast<int>(sizeof(float));
  _tile_stored(0, sum, kSumLine);
  _tile_stored(1, sum + kBf16TileLines, kSumLine);
  _tile_stored(2, sum + kBf16TileLines * kBf16Side, kSumLine);
  _tile_stored(3, sum + kBf16TileLines * kBf16Side + kBf16TileLines, kSumLine);
  _tile_release();
  add_tiles(sum, c, stride, accumulate, rows, columns);
}

// Rows [row, row + kRows) of what a call makes, in registers: a pair of k of each row times a pair of each
// column.
template <int kRows>
[[gnu::target("avx512f,avx512bf16")]] void dot_rows(std::span<const PanelPair<Bf16>> stretches, int64_t row,
                                                    float* sum) {
  __m512 left[kRows] = {}, right[kRows] = {};
  for (const PanelPair<Bf16>& stretch : stretches) {
    for (int64_t k = 0; k < stretch.k; k += kBf16Depth) {
      const Bf16* chunk = stretch.a + k * kBf16Side;
      const Bf16* a = chunk + row / kBf16TileLines * kBf16TileElements + row % kBf16TileLines * kBf16Depth;
      const Bf16* b = stretch.b + k * kBf16Side;
      for (int64_t pair = 0; pair < kBf16Depth / 2; ++pair) {
        const auto b_left = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + pair * kBf16Depth));
        const auto b_right =
            reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + kBf16TileElements + pair * kBf16Depth));
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          int32_t both;
          std::memcpy(&both, a + r * kBf16Depth + 2 * pair, sizeof(both));
          const auto of_row = reinterpret_cast<__m512bh>(_mm512_set1_epi32(both));
          left[r] = _mm512_dpbf16_ps(left[r], of_row, b_left);
          right[r] = _mm512_dpbf16_ps(right[r], of_row, b_right);
        }
      }
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    _mm512_store_ps(sum + (row + r) * kBf16Side, left[r]);
    _mm512_store_ps(sum + (row + r) * kBf16Side + kBf16Side / 2, right[r]);
  }
}

[[gnu::target("avx512f,avx512bf16")]] void avx512_bf16_block(std::span<const PanelPair<Bf16>> stretches,
                                                             float* c, int64_t stride, bool accumulate,
                                                             int64_t rows, int64_t columns) {
  constexpr int kAtOnce = 8;
  alignas(64) float sum[kBf16Side * kBf16Side];
  for (int64_t row = 0; row < rows; row += kAtOnce) dot_rows<kAtOnce>(stretches, row, sum);
  add_tiles(sum, c, stride, accumulate, rows, columns);
}

bool has_unit(const char* unit) {
  const std::vector<std::string> units = this_processor().units;
  return std::find(units.begin(), units.end(), unit) != units.end();
}

bool may_use_amx() {
  if (!has_unit("amx_tile") || !has_unit("amx_bf16")) return false;
  constexpr long kAskForState = 0x1023, kTileData = 18;  // arch_prctl(2), XSTATE component
  return syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
}
#endif

}  // namespace

bool has_avx512_bf16() {
#if defined(__x86_64__)
  static const bool has = has_unit("avx512_bf16");
  return has;
#else
  return false;
#endif
}

bool has_amx_bf16() {
#if defined(__x86_64__)
  static const bool has = may_use_amx();
  return has;
#else
  return false;
#endif
}

MicroKernel<Bf16> avx512_bf16_kernel() {
#if defined(__x86_64__)
  return {kBf16Side, kBf16Side, kBf16Depth, avx512_bf16_block};
#else
  CHECK(false, "no unit for bf16");
  return {};
#endif
}

MicroKernel<Bf16> amx_kernel() {
#if defined(__x86_64__)
  return {kBf16Side, kBf16Side, kBf16Depth, amx_tiles};
#else
  CHECK(false, "no matrix unit");
  return {};
#endif
}

}  // namespace shardscope::inline numerics
