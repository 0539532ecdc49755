// SPDX-License-Identifier: Apache-2.0
// Pieces of the sharding parser that its files share.
#pragma once

#include "engine/sharding/cursor.h"
#include "engine/sharding/hlo_sharding.h"

namespace shardscope::inline sharding {

// Reads a tile assignment in the middle of a sharding and leaves the cursor behind it.
Result<TileAssignment> read_tile_assignment(Cursor& in);

// Reads "[4,2]T(1,0)" or "[8]" of `count` devices: the ids in that order.
Result<std::vector<int64_t>> read_iota(Cursor& in, int64_t count);

// Reads a sharding on named axes behind its opening brace, up to the closing one.
Result<HloSharding> read_named_hlo_sharding(Cursor& in);

// The form XLA keeps: subgroups of one type merged, those of one device dropped, and the plain kind when
// nothing is split and one subgroup holds every device.
HloSharding normalised(HloSharding sharding);

}  // namespace shardscope::inline sharding
