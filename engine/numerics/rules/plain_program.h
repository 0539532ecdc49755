// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/program/ir/program.h"

namespace shardscope {

// The same program in fewer kinds of instructions, for the interpreter: asynchronous pairs are done at their
// start, collectives of several arrays are one by one, annotations are gone, products of other types than the
// kernels have are converted first, convolutions without space are dots, bitcasts between layouts are
// transposes. None: the program has nothing of that.
std::optional<Program> plain_program(const Program& program);

// Whether no instruction of this opcode is left in a plain program.
bool is_rewritten(Opcode opcode);

}  // namespace shardscope
