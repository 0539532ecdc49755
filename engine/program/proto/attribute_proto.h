// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/file/wire.h"
#include "engine/program/ir/instruction.h"

namespace shardscope::inline program::proto {

// What an instruction is told beside its operands and what it calls: ", key=value" of each attribute that its
// operation has. `probe`: an instruction of its opcode.
std::string attributes_text(const wire::Message& instruction, const Instruction& probe);

}  // namespace shardscope::inline program::proto
