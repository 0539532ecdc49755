// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/collectives/collective.h"
#include "engine/program/ir/instruction.h"

namespace shardscope::inline collectives {

// The collective that an HLO opcode asks for; nothing for other opcodes.
std::optional<CollectiveKind> collective_kind(Opcode opcode);
// The same of an instruction: an all-reduce of which only the root uses the sum is a reduce.
std::optional<CollectiveKind> collective_kind(const Instruction& instruction);
// Whether it takes transfers of its own: one of those, or a ragged exchange, whose sizes are data.
bool is_timed_collective(const Instruction& instruction);

}  // namespace shardscope::inline collectives
