// SPDX-License-Identifier: Apache-2.0
// Operations that are started and waited for by two instructions: all-gather-start and all-gather-done,
// async-start of a computation, and "reduce-scatter-start", which has no opcode of its own.
#pragma once

#include "engine/program/ir/instruction.h"

namespace shardscope::inline program {

// What it starts: all-gather of all-gather-start, call of async-start; unknown: it starts nothing that we
// know.
Opcode started_opcode(const Instruction& instruction);
bool is_start(const Instruction& instruction);  // of something that we know
// Whether it waits for what another one started, or looks after it: -done, -update.
bool ends_start(const Instruction& instruction);

// Of a start's shape the part that its end gives: (operand, result, …), of several ((a, b), (c, d), …); of an
// all-reduce the operands' shapes themselves, or one operand's ((a), a), as newer compilers write it.
const Shape& started_result(Opcode plain, const Shape& start, size_t operands);

// The collective that it does or starts; unknown: it is none.
Opcode collective_opcode(const Instruction& instruction);
// A collective or what starts one, as the collective that is done in one go. Its operands are as they were.
Instruction plain_collective(const Instruction& instruction);

}  // namespace shardscope::inline program
