// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "engine/program/ir/shape.h"

namespace shardscope::inline program {

// A bitcast keeps memory, so between layouts it moves elements: the operand's dimensions in the order of its
// memory, which is read as the result's in theirs, which stand then in the result's own order.
struct BitcastMoves {
  std::vector<int64_t> before, after;  // dimensions of two transposes; empty: none
  Shape from, to;                      // in the order of memory
};
// None: both layouts are the usual one.
std::optional<BitcastMoves> bitcast_moves(const Shape& operand, const Shape& result);

}  // namespace shardscope::inline program
