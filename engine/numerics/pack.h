// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "engine/numerics/element.h"
#include "engine/numerics/matrix_view.h"

namespace shardscope {

// Writes rows [row, row+width) and columns [k, k+depth) of `matrix` as a panel [depth][width] of T, rows
// beyond the matrix as zeros. Tag is the element type of the matrix.
template <class Tag, class T>
void pack_panel(const MatrixView& matrix, int64_t row, int64_t width, int64_t k, int64_t depth, T* panel) {
  using Stored = typename Tag::Stored;
  const int64_t row_end = std::min(matrix.rows, row + width);
  if (row_end < row + width) std::memset(panel, 0, static_cast<size_t>(width * depth) * sizeof(T));
  const auto cell_of = [](const std::vector<int64_t>& starts, int64_t index) {
    return static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), index) - starts.begin()) - 1;
  };
  const size_t first_column = cell_of(matrix.column_starts, k);
  for (size_t i = cell_of(matrix.row_starts, row); row < row_end; ++i) {
    const int64_t rows = std::min(row_end, matrix.row_starts[i + 1]) - row;
    T* out = panel;
    int64_t at = k;
    for (size_t j = first_column; at < k + depth; ++j) {
      const int64_t columns = std::min(k + depth, matrix.column_starts[j + 1]) - at;
      const MatrixView::Tile& tile = matrix.tile(i, j);
      const int64_t rs = tile.row_stride, cs = tile.column_stride;
      const Stored* in = reinterpret_cast<const Stored*>(tile.data) + (row - matrix.row_starts[i]) * rs +
                         (at - matrix.column_starts[j]) * cs;
      if (rs == 1) {
        for (int64_t c = 0; c < columns; ++c) {
          const Stored* line = in + c * cs;
          T* to = out + c * width;
          for (int64_t r = 0; r < rows; ++r) to[r] = static_cast<T>(Tag::load(line[r]));
        }
      } else {
        // Sixteen columns at a time: a cache line of each row is read whole, and what is written stays in
        // cache.
        for (int64_t c0 = 0; c0 < columns; c0 += 16) {
          const int64_t c1 = std::min(columns, c0 + 16);
          for (int64_t r = 0; r < rows; ++r) {
            const Stored* line = in + r * rs;
            for (int64_t c = c0; c < c1; ++c) out[c * width + r] = static_cast<T>(Tag::load(line[c * cs]));
          }
        }
      }
      out += columns * width;
      at += columns;
    }
    panel += rows;
    row += rows;
  }
}

}  // namespace shardscope
