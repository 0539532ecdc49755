// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/grouped/grouped.h"

namespace shardscope::inline grouped {

// A block of a matrix as f32, row-major. Row r and column c stand at origin + r·row_stride + c·column_stride
// of `array`.
struct BlockPlace {
  int64_t origin = 0, row_stride = 0, column_stride = 1;
};
void load_block(const Array& array, const BlockPlace& place, int64_t rows, int64_t columns,
                std::vector<float>& out);

// Writes rows × columns of f32 into `array`, rounded once to its type.
void store_block(Array& array, const BlockPlace& place, int64_t rows, int64_t columns,
                 const std::vector<float>& in);

// A factor of a product as its innermost loop reads it: panels of a few lines (rows of the left factor,
// columns of the right one), each as [depth][lines], padded with zeros. They stand in the caller's memory,
// which holds as many numbers as *_panel_numbers() says, or more.
struct Panels {
  int64_t lines = 0, depth = 0;
  const float* numbers = nullptr;
};
int64_t left_panel_numbers(int64_t rows, int64_t depth);
int64_t right_panel_numbers(int64_t depth, int64_t columns);
Panels load_left(const Array& array, const BlockPlace& place, int64_t rows, int64_t depth, float* memory);
Panels load_right(const Array& array, const BlockPlace& place, int64_t depth, int64_t columns, float* memory);

int64_t right_panel_lines();  // columns of one panel of a right factor

// Where sums stand: row r at data + r·stride. The first product writes them, later ones are added.
struct Sums {
  float* data = nullptr;
  int64_t stride = 0;
  bool accumulate = true;
};
// sums[rows, columns] (+)= a[rows, depth]·b[depth, columns]. The product of a tile is summed by itself, in
// the order of depth, and added once, as the kernel's accumulator gets it.
void add_product(const Panels& a, const Panels& b, const Sums& sums);

// [first, last) of consecutive steps that write the same output block: one task of the schedule.
struct StepRun {
  int64_t first = 0, last = 0;
};
std::vector<StepRun> same_block_runs(const GroupMetadata& metadata, const std::vector<int64_t>& block_ids);

// An output where nothing is written yet: existing_out's elements, or NaN. Rows (of its first dimension)
// [first, last) will be computed and hold anything.
struct RowRange {
  int64_t first = 0, last = 0;
};
Array start_output(const GroupedOptions& options, std::vector<int64_t> dims, const RowRange& computed);

}  // namespace shardscope::inline grouped
