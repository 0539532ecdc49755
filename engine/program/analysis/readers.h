// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// Places of instructions by whose value they read, each once and in their order.
using ReadersOf = std::vector<std::vector<size_t>>;
// What counts as reading: an operand; or also to wait for it by control.
enum class Reads : unsigned char { operands, control_too };
ReadersOf readers_of(const Computation& computation, Reads reads = Reads::operands);

}  // namespace shardscope::inline program
