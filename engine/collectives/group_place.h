// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/program/ir/program.h"

namespace shardscope {

// How the devices of a mesh are linked.
struct MeshLinks {
  bool all_pairs = false;
  int32_t node = 0;         // chips of a node of a two-level machine; 0: one level
  std::vector<bool> wraps;  // by mesh axis
};

// How the members of a group stand on the mesh.
struct GroupPlace {
  GroupTopology topology;
  // The mesh axes that they span, slowest first, and their sizes; empty when they do not stand row by row.
  std::vector<int> mesh_axes;
  std::vector<int32_t> rank_axes;
};
GroupPlace place_group(const Mesh& mesh, const MeshLinks& links, const std::vector<DeviceId>& members);

// Bytes of the whole array of a collective: gathered, reduced, sent by a root, or all that is exchanged.
int64_t collective_bytes(const Computation& computation, const Instruction& collective, int64_t ranks);

}  // namespace shardscope
