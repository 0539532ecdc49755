// SPDX-License-Identifier: Apache-2.0
// Through which arrays of a computation a derivative goes: those that depend on what it is taken by, and that
// what it is taken of depends on.
#pragma once

#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline grad {

using LeafFlags = std::vector<bool>;  // of an instruction's arrays, its own or a tuple's, in pre-order

// `given`: which arrays of each parameter, by number, it is taken by. By instruction.
std::vector<LeafFlags> varied_arrays(const Program& program, const Computation& computation,
                                     const std::vector<LeafFlags>& given);
// `wanted`: which arrays of the instruction it is taken of.
std::vector<LeafFlags> useful_arrays(const Program& program, const Computation& computation, InstructionId of,
                                     const LeafFlags& wanted);
// Both at once.
std::vector<LeafFlags> active_arrays(const Program& program, const Computation& computation,
                                     const std::vector<LeafFlags>& given, InstructionId of,
                                     const LeafFlags& wanted);

// What a loop carries of a derivative from one round to the next.
LeafFlags active_state(const Program& program, const Instruction& loop, const LeafFlags& given,
                       const LeafFlags& wanted);

bool any(const LeafFlags& flags);
// The first leaf of a tuple's element.
size_t first_leaf(const Shape& tuple, size_t element);
const Computation& called_by(const Program& program, const Instruction& instruction, std::string_view key);

}  // namespace shardscope::inline grad
