// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/program/ir/opcode.h"

namespace shardscope::inline program {

// Why the verifier does not infer the shape of an operation; empty: it does.
std::string verify_hole(Opcode opcode);

}  // namespace shardscope::inline program
