// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <memory>
#include <span>
#include <vector>

#include "engine/numerics/array/view.h"

namespace shardscope::inline numerics {

// An operand of a product as a matrix: rows are its free dimensions flattened, columns the contracted ones. A
// grid of tiles, each of which lies in memory with one stride per direction. What products pack their panels
// from.
struct MatrixView {
  struct Tile {
    const std::byte* data = nullptr;
    int64_t row_stride = 0, column_stride = 0;  // in elements
    auto operator<=>(const Tile&) const = default;
  };
  ElementType type = ElementType::f32;
  int64_t rows = 0, columns = 0;
  std::vector<int64_t> row_starts, column_starts;  // of the grid's cells, with the end at the back
  std::vector<Tile> tiles;                         // row-major over the grid

  const Tile& tile(size_t row, size_t column) const {
    return tiles[row * (column_starts.size() - 1) + column];
  }
  // Equal ones are the same elements of the same memory.
  auto operator<=>(const MatrixView&) const = default;
};

// `row_dims` and `column_dims` name every dimension of the view once.
MatrixView matrix_view(const View& view, std::span<const int64_t> row_dims,
                       std::span<const int64_t> column_dims);

// The rows of matrices with equal types and columns below each other; none is empty.
MatrixView stacked(std::span<const std::shared_ptr<const MatrixView>> parts);

}  // namespace shardscope::inline numerics
