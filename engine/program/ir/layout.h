// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/ir/shape.h"

namespace shardscope::inline program {

// How an array lies in memory, as XLA's layouts say it: {1,0:T(8,128)(2,1)S(1)}.
struct Layout {
  std::vector<int64_t> order;  // dimensions, the one whose elements are furthest apart first
  // Each cuts the last dimensions of what the ones before it made: a dimension of 30 by a tile of 8 is 4 rows
  // of tiles, of which the last is filled up.
  std::vector<std::vector<int64_t>> tiles;
  int64_t memory_space = 0;  // S(n): 0 is the device's large memory (HBM), on TPUs 1 its fast one (VMEM)
  int64_t element_bits = 0;  // E(n): of an element in memory; 0: those of its type
};
// Parts that are not known (levels of sparse arrays, …) are left out. `array`: no tuple.
Layout layout_of(const Shape& array);

// The sizes of its dimensions in their order in memory.
std::vector<int64_t> in_memory_order(const Shape& array, const Layout& layout);
// One cut of the last dimensions: as they are, filled up, split into rows of tiles and tiles, and these last,
// in the order that moves them there.
struct TileCut {
  std::vector<int64_t> dims, full, split, moved, order;
};
std::vector<TileCut> tile_cuts(const Shape& array, const Layout& layout);
// Bytes in memory, of all leaves, with what fills tiles up.
int64_t stored_bytes(const Shape& shape);
// Bytes that a kernel reads from the device's large memory, or writes there: none of an array of a TPU that
// lies beside the cores (S(1)), and of a type's size where no tiles are said.
int64_t moved_bytes(const Shape& shape);

}  // namespace shardscope::inline program
