// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// What a call of cuDNN does with its first two operands, as HLO's convolution: forward, or the gradient of
// the input or of the kernel, whose calls say the window of the forward one. None: no such call, or it does
// not say all.
std::optional<Instruction> library_convolution(const Computation& computation, const Instruction& call);

}  // namespace shardscope::inline program
