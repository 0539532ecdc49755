// SPDX-License-Identifier: Apache-2.0
// Products and sums of traced arrays.
#pragma once

#include "engine/story/contraction_sets.h"
#include "engine/story/shard_piece.h"

namespace shardscope {

// Which stored dimension of X and W is summed over.
struct Orientation {
  int lhs_contracting = 1;
  int rhs_contracting = 0;
  int contracting(ArrayRole role) const { return role == ArrayRole::lhs ? lhs_contracting : rhs_contracting; }
};

// Pieces of Y that a dot of pieces of X and W makes, in either order. Where the contraction indices of the
// two sides do not agree the result is unknown.
ShardPieces multiply_pieces(const ShardPieces& lhs, const ShardPieces& rhs, const Instruction& dot,
                            const Orientation& orientation, ContractionSets& sets);
// Elementwise sum: products of the same elements unite what they have summed; zeros change nothing.
ShardPieces add_pieces(const ShardPieces& a, const ShardPieces& b, ContractionSets& sets);

}  // namespace shardscope
