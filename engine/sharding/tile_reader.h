// SPDX-License-Identifier: Apache-2.0
// Pieces of the sharding parser that its files share.
#pragma once

#include "engine/sharding/cursor.h"
#include "engine/sharding/hlo_sharding.h"

namespace shardscope {

// Reads a tile assignment in the middle of a sharding and leaves the cursor behind it.
Result<TileAssignment> read_tile_assignment(Cursor& in);

// The form XLA keeps: subgroups of one type merged, those of one device dropped, and the plain kind when
// nothing is split and one subgroup holds every device.
HloSharding normalised(HloSharding sharding);

}  // namespace shardscope
