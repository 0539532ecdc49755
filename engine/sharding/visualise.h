// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/sharding/hlo_sharding.h"
#include "engine/sharding/named_sharding.h"

namespace shardscope::inline sharding {

// Who holds what, drawn with box characters as jax.debug.visualize_array_sharding does, for any rank: columns
// are the last dimension, rows the one before, further dimensions give one labelled grid per shard. Row and
// column heads are index ranges, cells list device ids. Big grids are cut and say so. CHECKs that the shape
// fits the sharding.
std::string visualise(const NamedSharding& sharding, const std::vector<int64_t>& global);
// Shows padding as well: "6:9 +1" is a tile of 4 of which one row is padding. `devices` are listed where the
// sharding means all of them; 0 writes "every device".
std::string visualise(const HloSharding& sharding, const std::vector<int64_t>& global, int64_t devices = 0);

}  // namespace shardscope::inline sharding
