// SPDX-License-Identifier: Apache-2.0
// An array on its way from one sharding to another, as a program of its own.
#pragma once

#include "engine/base/result.h"
#include "engine/program/ir/program.h"
#include "engine/sharding/named_sharding.h"

namespace shardscope::inline partitioner {

// How an array lies on a mesh.
struct StoredArray {
  PartitionSpec spec;       // of the array as stored
  bool transposed = false;  // stored with its two dimensions swapped
  bool operator==(const StoredArray&) const = default;
};

// What every device of `mesh` does to bring a matrix of `shape` from one way to lie to another: turned round
// first where that differs, then the planner's moves. Errors: specs that are not legal on the mesh.
Result<Program> reshard_program(const Mesh& mesh, const Shape& shape, const StoredArray& from,
                                const StoredArray& to);

}  // namespace shardscope::inline partitioner
