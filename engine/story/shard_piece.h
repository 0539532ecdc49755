// SPDX-License-Identifier: Apache-2.0
// The algebra behind the story: which elements of a global array a box of a local array is.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sharding/named_sharding.h"
#include "engine/story/small_vector.h"

namespace shardscope::inline story {

// `extent` steps of `stride` elements of the global array.
struct StrideDigit {
  int64_t extent = 1;
  int64_t stride = 0;
  auto operator<=>(const StrideDigit&) const = default;
};
// The steps of a run of indices, the slowest first, as digits of a mixed-radix number; no digits: one index.
using StrideDigits = SmallVector<StrideDigit, 2>;

// One local dimension of a piece: index local.start + i stands `digits` of i further on in global dimension
// `global`
// (-1: in none; of zeros, dimensions of size 1 and those along which it repeats).
struct PieceDim {
  IndexRange local;
  int global = -1;
  StrideDigits digits;  // extents multiply to local.size()
  bool operator==(const PieceDim&) const = default;
};

// A box of a local array whose elements are elements of one of the program's global arrays; those of a sum
// have summed the contraction indices of set `k_set`. zero and fill: made of no input, the same or not.
struct ShardPiece {
  enum class Kind { zero, fill, part };
  Kind kind = Kind::zero;
  int array = -1;  // of TracedArrays; -1: none
  int k_set = -1;  // -1: the array is no sum
  std::vector<PieceDim> dims;
  SmallVector<int64_t, 4> base;  // global index of the box's first element, by global dimension
  bool operator==(const ShardPiece&) const = default;
};

// Parts of an array that no piece covers are unknown: made of something else.
using ShardPieces = std::vector<ShardPiece>;

ShardPiece zero_piece(const std::vector<int64_t>& dims);
ShardPiece fill_piece(const std::vector<int64_t>& dims);
ShardPiece input_piece(int array, const IndexBox& slices);

IndexBox local_box(const ShardPiece& piece);
bool intersects(const IndexBox& a, const IndexBox& b);
// The parts of `piece` inside and outside of `window`, at their places.
void append_inside(const ShardPiece& piece, const IndexBox& window, ShardPieces& out);
void append_outside(const ShardPiece& piece, const IndexBox& window, ShardPieces& out);
void move_by(ShardPiece& piece, size_t dim, int64_t distance);
// Puts pieces that continue each other together.
void merge_neighbours(ShardPieces& pieces);
// Pieces that would need more than single runs are given up: their part of the result is unknown.
ShardPieces reshape_pieces(const ShardPieces& pieces, const std::vector<int64_t>& from,
                           const std::vector<int64_t>& to);
// Global dimensions that a reshape of the piece walks through as one, each list slowest first: their array
// must be flattened along them before.
std::vector<std::vector<int>> joined_globals(const ShardPiece& piece, const std::vector<int64_t>& from,
                                             const std::vector<int64_t>& to);

// A part of a run of indices: where it starts in the run and in the global dimension.
struct DigitRun {
  int64_t position = 0;
  int64_t length = 0;
  int64_t base = 0;
  StrideDigits digits;
};
// Indices [offset, offset + length) of the run `digits`, as few runs as that takes.
std::vector<DigitRun> cut_digits(const StrideDigits& digits, int64_t offset, int64_t length);
void normalise(StrideDigits& digits);
// The contiguous ranges that a run of steps visits from `base` on, ascending, when they are disjoint.
std::vector<IndexRange> visited_ranges(StrideDigits digits, int64_t base);

}  // namespace shardscope::inline story
