// SPDX-License-Identifier: Apache-2.0
// How products of bf16 in the CPU's own units want their operands: in chunks of kBf16Depth of k, each two
// tiles of sixteen lines of 64 bytes.
#pragma once

#include <cstdint>

#include "engine/numerics/array/matrix_view.h"
#include "engine/numerics/product/micro_kernel.h"

namespace shardscope::inline numerics {

inline constexpr int64_t kBf16Side = 32;   // rows and columns of what one call makes
inline constexpr int64_t kBf16Depth = 32;  // of k that one line of the left operand holds
inline constexpr int64_t kBf16TileLines = 16;
inline constexpr int64_t kBf16TileElements = kBf16TileLines * kBf16Depth;
inline constexpr int64_t kBf16ChunkElements = kBf16Side * kBf16Depth;

// Rows [row, row + kBf16Side) and columns [k, k + depth) of a bf16 matrix as the left or the right operand's
// panel, of kBf16Side elements for each of the columns rounded up to kBf16Depth; what is beyond the matrix is
// zero. A line of the left one is 32 of k for one row, of the right one two of k for each of sixteen columns.
void pack_bf16_left(const MatrixView& matrix, int64_t row, int64_t k, int64_t depth, Bf16* panel);
void pack_bf16_right(const MatrixView& matrix, int64_t row, int64_t k, int64_t depth, Bf16* panel);

}  // namespace shardscope::inline numerics
