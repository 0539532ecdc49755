// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/mesh/mesh.h"
#include "engine/program/ir/program.h"

namespace shardscope {

// The mesh with the fewest axes on which every sharding of `program` is a PartitionSpec: axes x, y, z, w. One
// axis "device" when there is none.
Mesh spmd_mesh(const Program& program, int64_t devices);

}  // namespace shardscope
