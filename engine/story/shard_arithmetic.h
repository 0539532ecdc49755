// SPDX-License-Identifier: Apache-2.0
// Products, sums and elementwise operations on traced arrays.
#pragma once

#include <string>
#include <vector>

#include "engine/program/ir/instruction.h"
#include "engine/story/traced_arrays.h"

namespace shardscope::inline story {

struct TracedOperand {
  const ShardPieces& pieces;
  const std::vector<int64_t>& dims;  // local
};

// Pieces that a dot of two values makes: of the array of their contraction, with the terms that they have in
// common. Where operands are unknown, or incomplete sums, or their contraction indices disagree, the result
// is unknown.
ShardPieces multiply_pieces(const TracedOperand& lhs, const TracedOperand& rhs, const Instruction& dot,
                            TracedSums sums);

// Elementwise sum of one array's parts: what they have summed is united; zeros change nothing. Whole arrays
// are no parts: their sum is unknown here.
ShardPieces add_pieces(const ShardPieces& a, const ShardPieces& b, TracedSums sums);

// reduce's pieces: dimensions `over` of one value summed (or what `reducer` says).
ShardPieces reduce_pieces(const TracedOperand& value, const Instruction& reduce, Opcode reducer,
                          TracedSums sums);

// Any other elementwise operation. `fills`: by operand, what tells values that are made of no input apart.
struct ElementwiseCase {
  const Instruction& instruction;
  const std::vector<const ShardPieces*>& operands;  // of one shape
  const std::vector<std::string>& fills;
  int32_t device = 0;
};
ShardPieces elementwise_pieces(const ElementwiseCase& c, TracedSums sums);

// Complete values whose operation is not followed any further: an array that only `device` knows.
ShardPieces local_piece(const Instruction& i, int32_t device, TracedArrays& arrays);
// Elements that the pieces cover; all of `dims` when nothing is unknown.
int64_t covered_elements(const ShardPieces& pieces);
bool covers(const ShardPieces& pieces, const std::vector<int64_t>& dims);
// Every element known, and no sum in the making.
bool is_complete(const ShardPieces& pieces, const std::vector<int64_t>& dims, TracedSums sums);

}  // namespace shardscope::inline story
