// SPDX-License-Identifier: Apache-2.0
// What XLA's compiler for CPUs knows of an instruction when it decides what is computed in one loop.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// Whether a loop over elements can compute it beside others.
bool is_in_loops(const Instruction& instruction);
// Whether it takes longer than to read its result again.
bool is_dear(const Computation& computation, const Instruction& instruction);
// The constant number that all its elements are; null: they are not.
const Instruction* constant_behind(const Computation& computation, InstructionId id);
bool spreads_constant(const Computation& computation, InstructionId id);
bool reads(const Instruction& instruction, int32_t place);
// Pieces that a loop does not put together: so many that it asks too often which one it is in, or rows of
// some length end to end.
bool is_put_together_alone(const Instruction& instruction);
// Of its operands one at most is as large, others are made up by their reader.
bool reads_one_array(const Computation& computation, const Instruction& instruction);
bool reads_more_than_it_gives(const Computation& computation, const Instruction& instruction);
// Whether a loop of these members (ascending places, the last one its result) reads an element of `producer`
// more than once.
bool repeats_elements(const Computation& computation, const std::vector<int32_t>& members, int32_t producer);

}  // namespace shardscope::inline backend
