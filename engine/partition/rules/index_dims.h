// SPDX-License-Identifier: Apache-2.0
// Lists of dimensions, as gather and scatter name them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/program/ir/shape.h"
#include "engine/sharding/moves.h"
#include "engine/sharding/tiling.h"

namespace shardscope::inline partitioner {

using IntList = std::vector<int64_t>;

bool holds(const IntList& dims, int64_t d);
// The dimensions of `rank` that are not in `dims`.
IntList without(size_t rank, const IntList& dims);
// The dimension of one array for each of another's, by pairs; -1: none.
IntList paired(size_t rank, const IntList& to, const IntList& from);
// For each of `rank` dimensions the one that `map` sends there; -1: none.
IntList inverse(const IntList& map, size_t rank);

// Two arrays on the same devices as one of both their dimensions; none when their cuts are in each other's
// way.
std::optional<Tiling> side_by_side(const Tiling& a, const Tiling& b);

// Bytes of a device's part.
inline int64_t tile_bytes(const Tiling& tiling, const Shape& base) {
  return Shape::array(base.type, tile_dims(tiling, base.dims)).bytes();
}

}  // namespace shardscope::inline partitioner
