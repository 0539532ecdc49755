// SPDX-License-Identifier: Apache-2.0
// Indices into an array that is cut: as places in the tile that a device holds.
#pragma once

#include <vector>

#include "engine/partition/reshard/spmd_writer.h"

namespace shardscope::inline partitioner {

// Entry c of an index vector is the place along a dimension of `sizes[c]` elements, of which a device holds
// `tiles[c]` from `offsets[c][device]` on.
struct LocalIndex {
  int64_t vector_dim = 0;  // the indices' rank: they are scalars
  std::vector<int64_t> sizes, tiles;
  std::vector<std::vector<int64_t>> offsets;  // empty: all devices start at 0

  // Of indices into `from`, entry c along its dimension map[c].
  static LocalIndex of(const Sharded& from, const std::vector<int64_t>& map, int64_t vector_dim);
};

// The indices (any integers) as places in the device's own tile, s32. Places beyond the array's ends are
// moved to them when `clamp`, as in a gather, else stay beyond every tile or on padding.
InstructionId places_in_tile(SpmdWriter& writer, const SpmdScope& scope, const LocalIndex& at,
                             InstructionId indices, bool clamp);
// By index vector: whether all its entries are places in the device's tile.
InstructionId falls_inside(SpmdWriter& writer, const LocalIndex& at, InstructionId places);

}  // namespace shardscope::inline partitioner
