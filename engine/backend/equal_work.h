// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// Work that is done twice is done once: the same operation on the same operands, as XLA's HloCSE finds it.
// Collectives, loops and calls stay.
Computation without_equal_work(const Program& program, const Computation& computation);

}  // namespace shardscope::inline backend
