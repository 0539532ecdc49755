// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sharding/tiling.h"

namespace shardscope::inline partitioner {

// How a tiling goes through a reshape without moving data. `from` is what of the operand's tiling can go
// through, `to` what it becomes; complete when that is all of it.
struct ReshapedTiling {
  Tiling from, to;
  bool complete = true;
};
ReshapedTiling through_reshape(const Tiling& tiling, const std::vector<int64_t>& from,
                               const std::vector<int64_t>& to);

}  // namespace shardscope::inline partitioner
