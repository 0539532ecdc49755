// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/program/ir/opcode.h"

namespace shardscope {

// Why pieces of the inputs are not followed through an operation; empty: they are.
std::string trace_hole(Opcode opcode);

}  // namespace shardscope
