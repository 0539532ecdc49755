// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "engine/mesh/mesh.h"
#include "engine/program/ir/program.h"
#include "engine/sharding/axis_parts.h"

namespace shardscope::inline partitioner {

// The mesh whose axes a module names: of several with so many devices the one that most shardings of the
// entry are on.
struct UserMesh {
  AxisMesh axes;
  std::optional<Mesh> mesh;  // none: its devices stand in another order
  std::string note;          // which of several it is; "": there is one
};
std::optional<UserMesh> user_mesh(const Program& module, int64_t devices);

// The mesh's axes, its devices in their order.
AxisMesh axis_mesh(const Mesh& mesh);

// The mesh that the partitioned program runs on: the one that the module names (its axes and their order),
// else the one with the fewest axes on which every sharding of `program` is a PartitionSpec, axes x, y, z, w.
// One axis "device" when there is none.
Mesh spmd_mesh(const Program& program, int64_t devices);

}  // namespace shardscope::inline partitioner
