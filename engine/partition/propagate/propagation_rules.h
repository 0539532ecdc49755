// SPDX-License-Identifier: Apache-2.0
// How tilings go through each operation: from operands to the result and back, in a table by opcode.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/sharding/tiling.h"

namespace shardscope::inline partitioner {

// Leaves that are the same arrays: `to` is made of `from`.
struct SameLeaves {
  struct Run {
    InstructionPlace of;
    size_t first = 0;  // of its leaves
  };
  Run to, from;
  size_t count = 0;
};

struct PropagationRule {
  // The tiling of one side of the instruction and its operand k as the other one says; none: it says nothing.
  using Spread = std::optional<Tiling>(const Computation& computation, const Instruction& instruction,
                                       size_t k, const Tiling& tiling);
  using Links = std::vector<SameLeaves>(const Program& module, InstructionPlace place);

  // From which level on: 0 for what passes arrays through as they are, 1 for what makes new ones, 2 for
  // broadcasts.
  int level = 1;
  // The result as operand k says: dimensions that end in the instruction (contracted, reduced, sliced) become
  // replicas. Operand k as the result says.
  Spread* to_result = nullptr;
  Spread* to_operand = nullptr;
  // Of tuples, loops and branches instead: which arrays are the same.
  Links* links = nullptr;
  bool all_alike = false;  // a result of several arrays has one tiling
};
PropagationRule propagation_rule(Opcode opcode);
// Why nothing spreads through an operation; empty: something does, or there is nothing that could.
std::string propagate_hole(Opcode opcode);

// The tiling of one side of a product as the other's batch and contracted dimensions say.
std::optional<Tiling> operand_from_partner(const Computation& computation, const Instruction& product,
                                           size_t k, const Tiling& partner);

}  // namespace shardscope::inline partitioner
