// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "engine/numerics/array/element.h"
#include "engine/numerics/array/matrix_view.h"
#include "engine/numerics/product/lines.h"

namespace shardscope::inline numerics {

// Elements that a panel holds bit for bit as the matrix does.
template <class Tag, class T>
inline constexpr bool kCopied = sizeof(T) == sizeof(typename Tag::Stored) &&
                                std::is_floating_point_v<T> == std::is_floating_point_v<typename Tag::Stored>;

// Rows and columns of a matrix whose neighbours lie `row_stride` and `column_stride` elements apart.
template <class Tag>
struct TilePart {
  const typename Tag::Stored* data;
  int64_t row_stride, column_stride;
  int64_t rows, columns;
};

// out[r + c·width] = part[r, c].
template <class Tag, class T>
void pack_tile(const TilePart<Tag>& part, int64_t width, T* out) {
  const auto [in, rs, cs, rows, columns] = part;
  constexpr int64_t kSize = sizeof(T);
  if (rs == 1) {
    if constexpr (kCopied<Tag, T>) {
      copy_lines(reinterpret_cast<const std::byte*>(in), {columns, rows * kSize, cs * kSize, width * kSize},
                 reinterpret_cast<std::byte*>(out));
    } else {
      for (int64_t c = 0; c < columns; ++c) {
        const auto* line = in + c * cs;
        for (int64_t r = 0; r < rows; ++r) out[c * width + r] = static_cast<T>(Tag::load(line[r]));
      }
    }
    return;
  }
  // Sixteen columns at a time: a cache line of each row is read whole, and what is written stays in cache.
  for (int64_t c0 = 0; c0 < columns; c0 += 16) {
    const int64_t c1 = std::min(columns, c0 + 16);
    int64_t r = 0;
    if constexpr (kCopied<Tag, T> && sizeof(T) == 4) {
      if (cs == 1)
        r = turn_blocks(reinterpret_cast<const std::byte*>(in + c0), {rows, c1 - c0, rs, width},
                        reinterpret_cast<std::byte*>(out + c0 * width));
    }
    for (; r < rows; ++r) {
      const auto* line = in + r * rs;
      for (int64_t c = c0; c < c1; ++c) out[c * width + r] = static_cast<T>(Tag::load(line[c * cs]));
    }
  }
}

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
      pack_tile<Tag, T>({in, rs, cs, rows, columns}, width, out);
      out += columns * width;
      at += columns;
    }
    panel += rows;
    row += rows;
  }
}

// `count` panels, each of `width` rows, from row `first` on.
struct PanelRows {
  int64_t first, width, count;
};

// Panels that lie in row i of the matrix's grid.
template <class Tag, class T>
void pack_lines(const MatrixView& matrix, size_t i, const PanelRows& rows, int64_t k, int64_t depth,
                T* panels) {
  using Stored = typename Tag::Stored;
  constexpr int64_t kSize = sizeof(T);
  const auto next = std::upper_bound(matrix.column_starts.begin(), matrix.column_starts.end(), k);
  auto j = static_cast<size_t>(next - matrix.column_starts.begin()) - 1;
  for (int64_t at = k; at < k + depth; ++j) {
    const int64_t columns = std::min(k + depth, matrix.column_starts[j + 1]) - at;
    const MatrixView::Tile& tile = matrix.tile(i, j);
    const int64_t rs = tile.row_stride, cs = tile.column_stride;
    const Stored* in = reinterpret_cast<const Stored*>(tile.data) + (rows.first - matrix.row_starts[i]) * rs +
                       (at - matrix.column_starts[j]) * cs;
    T* out = panels + (at - k) * rows.width;
    if (rs == 1) {
      const Lines lines{columns, rows.width * kSize, cs * kSize, rows.width * kSize};
      copy_long_lines(reinterpret_cast<const std::byte*>(in), lines, {rows.count, rows.width * depth * kSize},
                      reinterpret_cast<std::byte*>(out));
    } else {
      for (int64_t p = 0; p < rows.count; ++p)
        pack_tile<Tag, T>({in + p * rows.width * rs, rs, cs, rows.width, columns}, rows.width,
                          out + p * rows.width * depth);
    }
    at += columns;
  }
}

// The same for several panels one after the other. Lines that go on through all of them are read as one.
template <class Tag, class T>
void pack_panels(const MatrixView& matrix, const PanelRows& rows, int64_t k, int64_t depth, T* panels) {
  const int64_t end = rows.first + rows.count * rows.width;
  if constexpr (kCopied<Tag, T>) {
    const auto row_end = std::upper_bound(matrix.row_starts.begin(), matrix.row_starts.end(), rows.first);
    if (rows.count > 1 && row_end != matrix.row_starts.end() && end <= *row_end) {
      const auto i = static_cast<size_t>(row_end - matrix.row_starts.begin()) - 1;
      return pack_lines<Tag, T>(matrix, i, rows, k, depth, panels);
    }
  }
  for (int64_t p = 0; p < rows.count; ++p)
    pack_panel<Tag, T>(matrix, rows.first + p * rows.width, rows.width, k, depth,
                       panels + p * rows.width * depth);
}

}  // namespace shardscope::inline numerics
