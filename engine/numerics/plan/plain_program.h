// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/program/ir/program.h"

namespace shardscope::inline numerics {

// For its time a program keeps what a chip does as it stands: products of mixed types, bitcasts between
// layouts, copies between memories, while collectives leave the fusions that XLA:TPU puts them into;
// transfers of a scheduled module start no earlier than the work before their start, and what stands behind
// their end waits for them.
enum class PlainFor : unsigned char { numbers, time };

// The same program in fewer kinds of instructions, for the interpreter: asynchronous pairs are done at their
// start, collectives of several arrays are one by one, annotations are gone, products of other types than the
// kernels have are converted first, as is what a scheduled module converts without saying so; convolutions
// without space are dots, bitcasts between layouts are transposes. None: the program has nothing of that.
std::optional<Program> plain_program(const Program& program, PlainFor what = PlainFor::numbers);

// Whether a custom-call is gone in a plain program: it is its operand, or written out in HLO's operations.
bool is_plain_call(const Computation& computation, const Instruction& custom_call);
// Whether no instruction of this opcode is left in a plain program.
bool is_rewritten(Opcode opcode);

}  // namespace shardscope::inline numerics
