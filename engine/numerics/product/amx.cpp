// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/product/amx.h"

#include <algorithm>
#include <cstring>

#include "engine/base/check.h"
#include "engine/base/machine/processor.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace shardscope {
namespace {

constexpr int64_t kTileRows = 16;
constexpr int64_t kTileElements = kTileRows * kAmxDepth;  // elements of a tile: sixteen lines of 64 bytes
constexpr int64_t kChunkElements = kAmxSide * kAmxDepth;  // of a panel: two tiles

// A part of a panel that lies in memory with one stride per direction.
struct PanelPart {
  const uint16_t* in;
  int64_t row_stride, column_stride;
  int64_t row, rows;        // of the panel
  int64_t column, columns;  // of k, counted from the panel's start
};

// Tiles of the left operand: a line is 32 of k for one row.
int64_t left_place(int64_t row, int64_t k) {
  return k / kAmxDepth * kChunkElements + row / kTileRows * kTileElements + row % kTileRows * kAmxDepth +
         k % kAmxDepth;
}
// Of the right one: a line is two of k for each of sixteen columns.
int64_t right_place(int64_t column, int64_t k) {
  return k / kAmxDepth * kChunkElements + column / kTileRows * kTileElements + k % kAmxDepth / 2 * kAmxDepth +
         column % kTileRows * 2 + k % 2;
}

void pack_left(const PanelPart& p, uint16_t* out) {
  const int64_t end = p.column + p.columns;
  if (p.column_stride == 1) {
    for (int64_t r = 0; r < p.rows; ++r) {
      for (int64_t k = p.column; k < end;) {
        const int64_t count = std::min(end, (k / kAmxDepth + 1) * kAmxDepth) - k;
        std::memcpy(out + left_place(p.row + r, k), p.in + r * p.row_stride + k - p.column,
                    static_cast<size_t>(count) * sizeof(uint16_t));
        k += count;
      }
    }
    return;
  }
  for (int64_t k = p.column; k < end; ++k) {
    const uint16_t* line = p.in + (k - p.column) * p.column_stride;
    for (int64_t r = 0; r < p.rows; ++r) out[left_place(p.row + r, k)] = line[r * p.row_stride];
  }
}

// One k and the next for columns that lie side by side.
void interleave(const uint16_t* even, const uint16_t* odd, int64_t count, uint16_t* out) {
  for (int64_t c = 0; c < count; ++c) {
    const uint32_t pair = even[c] | static_cast<uint32_t>(odd[c]) << 16;
    std::memcpy(out + 2 * c, &pair, sizeof(pair));
  }
}

void pack_right(const PanelPart& p, uint16_t* out) {
  const int64_t end = p.column + p.columns;
  int64_t k = p.column;
  if (k % 2 == 0 && p.row_stride == 1) {
    for (; k + 2 <= end; k += 2) {
      const uint16_t* line = p.in + (k - p.column) * p.column_stride;
      for (int64_t r = 0; r < p.rows;) {
        const int64_t at = p.row + r, count = std::min(p.rows - r, kTileRows - at % kTileRows);
        interleave(line + r, line + p.column_stride + r, count, out + right_place(at, k));
        r += count;
      }
    }
  } else if (k % 2 == 0 && p.column_stride == 1) {
    for (; k + 2 <= end; k += 2) {
      for (int64_t r = 0; r < p.rows; ++r)
        std::memcpy(out + right_place(p.row + r, k), p.in + r * p.row_stride + k - p.column,
                    2 * sizeof(uint16_t));
    }
  }
  for (; k < end; ++k) {
    for (int64_t r = 0; r < p.rows; ++r)
      out[right_place(p.row + r, k)] = p.in[r * p.row_stride + (k - p.column) * p.column_stride];
  }
}

size_t cell_at(const std::vector<int64_t>& starts, int64_t index) {
  return static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), index) - starts.begin()) - 1;
}

template <class Pack>
void pack_parts(const MatrixView& matrix, int64_t row, int64_t k, int64_t depth, Bf16* panel, Pack pack) {
  CHECK(matrix.type == ElementType::bf16, name(matrix.type));
  auto* out = reinterpret_cast<uint16_t*>(panel);
  const int64_t row_end = std::min(matrix.rows, row + kAmxSide);
  const int64_t padded = (depth + kAmxDepth - 1) / kAmxDepth * kAmxDepth;
  if (row_end < row + kAmxSide || padded > depth)
    std::memset(out, 0, static_cast<size_t>(kAmxSide * padded) * sizeof(uint16_t));
  int64_t r = row;
  for (size_t i = cell_at(matrix.row_starts, row); r < row_end; ++i) {
    const int64_t rows = std::min(row_end, matrix.row_starts[i + 1]) - r;
    int64_t at = k;
    for (size_t j = cell_at(matrix.column_starts, k); at < k + depth; ++j) {
      const int64_t columns = std::min(k + depth, matrix.column_starts[j + 1]) - at;
      const MatrixView::Tile& tile = matrix.tile(i, j);
      const auto* in = reinterpret_cast<const uint16_t*>(tile.data) +
                       (r - matrix.row_starts[i]) * tile.row_stride +
                       (at - matrix.column_starts[j]) * tile.column_stride;
      pack(PanelPart{in, tile.row_stride, tile.column_stride, r - row, rows, at - k, columns}, out);
      at += columns;
    }
    r += rows;
  }
}

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
    const float* from = sum + r * kAmxSide;
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
    for (int64_t k = 0; k < stretch.k; k += kAmxDepth) {
      _tile_loadd(4, a, kLine);
      _tile_loadd(6, b, kLine);
      _tile_dpbf16ps(0, 4, 6);
      _tile_loadd(7, b + kTileElements, kLine);
      _tile_dpbf16ps(1, 4, 7);
      _tile_loadd(5, a + kTileElements, kLine);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
      a += kChunkElements;
      b += kChunkElements;
    }
  }
  alignas(64) float sum[kAmxSide * kAmxSide];
  constexpr int kSumLine = kAmxSide * static_cast<int>(sizeof(float));
  _tile_stored(0, sum, kSumLine);
  _tile_stored(1, sum + kTileRows, kSumLine);
  _tile_stored(2, sum + kTileRows * kAmxSide, kSumLine);
  _tile_stored(3, sum + kTileRows * kAmxSide + kTileRows, kSumLine);
  _tile_release();
  add_tiles(sum, c, stride, accumulate, rows, columns);
}

bool may_use_amx() {
  const std::vector<std::string> units = this_processor().units;
  const auto has = [&](const char* unit) {
    return std::find(units.begin(), units.end(), unit) != units.end();
  };
  if (!has("amx_tile") || !has("amx_bf16")) return false;
  constexpr long kAskForState = 0x1023, kTileData = 18;  // arch_prctl(2), XSTATE component
  return syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
}
#endif

}  // namespace

bool has_amx_bf16() {
#if defined(__x86_64__)
  static const bool has = may_use_amx();
  return has;
#else
  return false;
#endif
}

MicroKernel<Bf16> amx_kernel() {
#if defined(__x86_64__)
  return {kAmxSide, kAmxSide, kAmxDepth, amx_tiles};
#else
  CHECK(false, "no matrix unit");
  return {};
#endif
}

void pack_amx_left(const MatrixView& matrix, int64_t row, int64_t k, int64_t depth, Bf16* panel) {
  pack_parts(matrix, row, k, depth, panel, pack_left);
}

void pack_amx_right(const MatrixView& matrix, int64_t row, int64_t k, int64_t depth, Bf16* panel) {
  pack_parts(matrix, row, k, depth, panel, pack_right);
}

}  // namespace shardscope
