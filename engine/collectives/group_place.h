// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/hardware/fabric.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline collectives {

// How the members of a group stand on the mesh.
struct GroupPlace {
  GroupTopology topology;
  // The mesh axes that they span, slowest first, and their sizes; empty when they do not stand row by row.
  std::vector<int> mesh_axes;
  std::vector<int32_t> rank_axes;
};
GroupPlace place_group(const Mesh& mesh, const Fabric& fabric, const std::vector<DeviceId>& members);

// Bytes that a rank sends of a whole array of `bytes`, the mean over ranks.
double mean_bytes_sent(const CollectiveSchedule& schedule, int64_t bytes);

// Bytes of the whole array of a collective: gathered, reduced, sent by a root, or all that is exchanged.
int64_t collective_bytes(const Computation& computation, const Instruction& collective, int64_t ranks);

}  // namespace shardscope::inline collectives
