// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/program/ir/program.h"

namespace shardscope::inline run {

// What the buffer of an instruction (Program::global_index) holds, in the paper's words: "X, as stored" of a
// parameter, what the step says it makes ("gather W over row"), else its maker.
std::string buffer_name(const Program& program, int32_t instruction);
// "X" of a parameter of our own programs, else empty.
std::string stored_name(const Program& program, int32_t instruction);

}  // namespace shardscope::inline run
