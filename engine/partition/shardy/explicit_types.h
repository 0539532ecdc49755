// SPDX-License-Identifier: Apache-2.0
// JAX's explicit mode: the type of a value says how it is sharded, and each operation's follows from its
// operands' alone, or it is an error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/partition/shardy/axis_lists.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline partitioner {

// An instruction of the entry. `type`: how it lies, none where explicit mode says nothing of it (tuples,
// manual regions, operations without a rule here, and what comes from them).
struct ExplicitValue {
  std::optional<AxisSplit> type;
  // It takes what its reader asks for: made out of scalars.
  bool is_free = false;
  // JAX's words, where it asks for an out_sharding; the type is then what the module says of it or the one
  // that keeps no axis.
  std::string error;
};

// "f32[8@X,16@(Y,Z)]{U:W}", as JAX prints an abstract value.
std::string jax_type(const Shape& shape, const AxisSplit& type, const AxisMesh& mesh);

// Of the entry's instructions in order; the module as partitioning reads it. Arrays that are annotated are
// typed so: an argument's sharding, an out_sharding, a reshard.
std::vector<ExplicitValue> explicit_types(const Program& module, const AxisMesh& mesh);

}  // namespace shardscope::inline partitioner
