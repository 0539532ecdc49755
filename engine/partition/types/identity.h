// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "engine/program/ir/program.h"

namespace shardscope::inline partitioner {

// What changes nothing under `opcode`; none when there is no such literal.
std::optional<std::string> identity_of(Opcode opcode, ElementType type);
// Whether an instruction is that constant, however it is written.
bool is_literal(const Computation& computation, InstructionId id, const std::string& literal);

}  // namespace shardscope::inline partitioner
