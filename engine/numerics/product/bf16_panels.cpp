// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/product/bf16_panels.h"

#include <algorithm>
#include <cstring>

#include "engine/base/check.h"

namespace shardscope::inline numerics {
namespace {

// A part of a panel that lies in memory with one stride per direction.
struct PanelPart {
  const uint16_t* in;
  int64_t row_stride, column_stride;
  int64_t row, rows;        // of the panel
  int64_t column, columns;  // of k, counted from the panel's start
};

// Tiles of the left operand: a line is 32 of k for one row.
int64_t left_place(int64_t row, int64_t k) {
  return k / kBf16Depth * kBf16ChunkElements + row / kBf16TileLines * kBf16TileElements +
         row % kBf16TileLines * kBf16Depth + k % kBf16Depth;
}
// Of the right one: a line is two of k for each of sixteen columns.
int64_t right_place(int64_t column, int64_t k) {
  return k / kBf16Depth * kBf16ChunkElements + column / kBf16TileLines * kBf16TileElements +
         k % kBf16Depth / 2 * kBf16Depth + column % kBf16TileLines * 2 + k % 2;
}

void pack_left(const PanelPart& p, uint16_t* out) {
  const int64_t end = p.column + p.columns;
  if (p.column_stride == 1) {
    for (int64_t r = 0; r < p.rows; ++r) {
      for (int64_t k = p.column; k < end;) {
        const int64_t count = std::min(end, (k / kBf16Depth + 1) * kBf16Depth) - k;
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
        const int64_t at = p.row + r, count = std::min(p.rows - r, kBf16TileLines - at % kBf16TileLines);
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

size_t tile_holding(const std::vector<int64_t>& starts, int64_t index) {
  return static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), index) - starts.begin()) - 1;
}

template <class Pack>
void pack_parts(const MatrixView& matrix, int64_t row, int64_t k, int64_t depth, Bf16* panel, Pack pack) {
  CHECK(matrix.type == ElementType::bf16, name(matrix.type));
  auto* out = reinterpret_cast<uint16_t*>(panel);
  const int64_t row_end = std::min(matrix.rows, row + kBf16Side);
  const int64_t padded = (depth + kBf16Depth - 1) / kBf16Depth * kBf16Depth;
  if (row_end < row + kBf16Side || padded > depth)
    std::memset(out, 0, static_cast<size_t>(kBf16Side * padded) * sizeof(uint16_t));
  int64_t r = row;
  for (size_t i = tile_holding(matrix.row_starts, row); r < row_end; ++i) {
    const int64_t rows = std::min(row_end, matrix.row_starts[i + 1]) - r;
    int64_t at = k;
    for (size_t j = tile_holding(matrix.column_starts, k); at < k + depth; ++j) {
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

}  // namespace

void pack_bf16_left(const MatrixView& matrix, int64_t row, int64_t k, int64_t depth, Bf16* panel) {
  pack_parts(matrix, row, k, depth, panel, pack_left);
}

void pack_bf16_right(const MatrixView& matrix, int64_t row, int64_t k, int64_t depth, Bf16* panel) {
  pack_parts(matrix, row, k, depth, panel, pack_right);
}

}  // namespace shardscope::inline numerics
