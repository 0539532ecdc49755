// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/array/matrix_view.h"

#include <algorithm>

namespace shardscope::inline numerics {

namespace {

// Along the rows or the columns: the factors in order with each piece's extents, neighbours joined where
// every piece allows it.
struct Side {
  std::vector<int64_t> factors;
  std::vector<std::vector<View::Extent>> extents;  // [piece][factor]
};

bool joins(const View::Extent& outer, const View::Extent& inner, int64_t inner_size) {
  if (outer.size == 1) return true;
  return inner.start == 0 && inner.size == inner_size && outer.stride == inner.stride * inner_size;
}

Side side_of(const View& view, std::span<const int64_t> dims) {
  Side side;
  side.extents.resize(view.pieces().size());
  for (int64_t d : dims) {
    const size_t dim = static_cast<size_t>(d);
    for (size_t f = view.first_factor(dim); f < view.first_factor(dim + 1); ++f) {
      const int64_t size = view.factors()[f];
      if (size == 1) continue;
      bool all_join = !side.factors.empty();
      for (size_t p = 0; p < view.pieces().size() && all_join; ++p) {
        all_join = joins(side.extents[p].back(), view.pieces()[p].extents[f], size);
      }
      for (size_t p = 0; p < view.pieces().size(); ++p) {
        const View::Extent& inner = view.pieces()[p].extents[f];
        if (all_join) {
          View::Extent& outer = side.extents[p].back();
          outer = {outer.start * size + inner.start, outer.size * inner.size, inner.stride};
        } else {
          side.extents[p].push_back(inner);
        }
      }
      if (all_join) {
        side.factors.back() *= size;
      } else {
        side.factors.push_back(size);
      }
    }
  }
  if (side.factors.empty()) {
    side.factors.push_back(1);
    for (auto& extents : side.extents) extents.push_back({0, 1, 0});
  }
  return side;
}

struct Line {
  int64_t start, size, offset, stride;  // flattened index; offset from the piece's first element
};

std::vector<Line> lines_of(const Side& side, size_t piece) {
  std::vector<Line> lines = {{0, 1, 0, 0}};
  for (size_t f = 0; f < side.factors.size(); ++f) {
    const View::Extent& e = side.extents[piece][f];
    const bool last = f + 1 == side.factors.size();
    std::vector<Line> next;
    for (const Line& s : lines) {
      const int64_t start = s.start * side.factors[f] + e.start;
      if (last) {
        next.push_back({start, e.size, s.offset, e.stride});
      } else {
        for (int64_t i = 0; i < e.size; ++i) next.push_back({start + i, 1, s.offset + i * e.stride, 0});
      }
    }
    lines = std::move(next);
  }
  return lines;
}

std::vector<int64_t> starts_of(const std::vector<std::vector<Line>>& lines, int64_t size) {
  std::vector<int64_t> starts = {0, size};
  for (const auto& piece : lines) {
    for (const Line& s : piece) {
      starts.push_back(s.start);
      starts.push_back(s.start + s.size);
    }
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}

size_t cell_at(const std::vector<int64_t>& starts, int64_t index) {
  return static_cast<size_t>(std::lower_bound(starts.begin(), starts.end(), index) - starts.begin());
}

}  // namespace

MatrixView matrix_view(const View& view, std::span<const int64_t> row_dims,
                       std::span<const int64_t> column_dims) {
  MatrixView matrix;
  matrix.type = view.type();
  matrix.rows = matrix.columns = 1;
  for (int64_t d : row_dims) matrix.rows *= view.dims()[static_cast<size_t>(d)];
  for (int64_t d : column_dims) matrix.columns *= view.dims()[static_cast<size_t>(d)];
  if (matrix.rows == 0 || matrix.columns == 0) return matrix;
  const Side row_side = side_of(view, row_dims), column_side = side_of(view, column_dims);
  std::vector<std::vector<Line>> rows, columns;
  for (size_t p = 0; p < view.pieces().size(); ++p) {
    rows.push_back(lines_of(row_side, p));
    columns.push_back(lines_of(column_side, p));
  }
  matrix.row_starts = starts_of(rows, matrix.rows);
  matrix.column_starts = starts_of(columns, matrix.columns);
  const size_t width = matrix.column_starts.size() - 1;
  matrix.tiles.resize((matrix.row_starts.size() - 1) * width);
  const int64_t element = stored_bytes(view.type(), 1);
  for (size_t p = 0; p < view.pieces().size(); ++p) {
    for (const Line& r : rows[p]) {
      for (size_t i = cell_at(matrix.row_starts, r.start); matrix.row_starts[i] < r.start + r.size; ++i) {
        const int64_t row_offset = r.offset + (matrix.row_starts[i] - r.start) * r.stride;
        for (const Line& c : columns[p]) {
          for (size_t j = cell_at(matrix.column_starts, c.start); matrix.column_starts[j] < c.start + c.size;
               ++j) {
            const int64_t offset = row_offset + c.offset + (matrix.column_starts[j] - c.start) * c.stride;
            matrix.tiles[i * width + j] = {view.pieces()[p].data + offset * element, r.stride, c.stride};
          }
        }
      }
    }
  }
  return matrix;
}

MatrixView stacked(std::span<const std::shared_ptr<const MatrixView>> parts) {
  MatrixView whole;
  whole.type = parts.front()->type;
  whole.columns = parts.front()->columns;
  whole.row_starts = {0};
  std::vector<int64_t>& starts = whole.column_starts;
  for (const auto& part : parts)
    starts.insert(starts.end(), part->column_starts.begin(), part->column_starts.end());
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  const int64_t element = stored_bytes(whole.type, 1);
  for (const auto& part : parts) {
    for (size_t i = 0; i + 1 < part->row_starts.size(); ++i) {
      whole.row_starts.push_back(whole.rows + part->row_starts[i + 1]);
      for (size_t j = 0, of_part = 0; j + 1 < starts.size(); ++j) {
        if (part->column_starts[of_part + 1] <= starts[j]) ++of_part;
        MatrixView::Tile tile = part->tile(i, of_part);
        tile.data += (starts[j] - part->column_starts[of_part]) * tile.column_stride * element;
        whole.tiles.push_back(tile);
      }
    }
    whole.rows += part->rows;
  }
  return whole;
}

}  // namespace shardscope::inline numerics
