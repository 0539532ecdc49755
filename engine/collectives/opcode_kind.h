// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/collectives/collective.h"
#include "engine/program/opcode.h"

namespace shardscope {

// The collective that an HLO opcode asks for; nothing for other opcodes.
std::optional<CollectiveKind> collective_kind(Opcode opcode);

}  // namespace shardscope
