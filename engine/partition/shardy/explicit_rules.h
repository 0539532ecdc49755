// SPDX-License-Identifier: Apache-2.0
// The types of explicit mode, operation by operation: one rule each, in a table by opcode. Rules and errors
// are JAX's (jax/_src/lax, the sharding rules of its primitives).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/partition/shardy/explicit_types.h"

namespace shardscope::inline partitioner {

// A result's type; of an operation with several results each one's. Beside an error: the one to go on with.
struct Typed {
  std::optional<AxisSplit> type;
  std::string error;
};

// What a rule sees; every operand has a type.
struct TypedOperands {
  const Computation& c;
  const Instruction& i;
  const AxisMesh& mesh;
  std::vector<ExplicitValue> values;

  const AxisSplit& type(size_t k) const { return *values[k].type; }
  const Shape& shape(size_t k) const { return c.at(i.operands[k]).shape; }
  std::string text(size_t k) const { return jax_type(shape(k), type(k), mesh); }
  std::string spec(size_t k) const;  // "('X', None)"
};

using TypeRule = Typed (*)(const TypedOperands& of);
TypeRule type_rule(Opcode opcode);  // null: explicit mode says nothing of it here

namespace explicit_rule {
AxisSplit whole(size_t rank);  // no dimension is split
// Gather and scatter.
Typed looked_up(const TypedOperands& of);
Typed written(const TypedOperands& of);
}  // namespace explicit_rule

}  // namespace shardscope::inline partitioner
