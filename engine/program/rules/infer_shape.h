// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// The shape that follows from an instruction's operands and attributes, for texts that leave it out. Its
// operands stand in `computation` with their shapes; what it calls is whole. Errors: shapes that do not fit
// together, and operations whose shape follows from nothing else (parameter, reshape, broadcast, …).
Result<Shape> infer_shape(const Program& program, const Computation& computation,
                          const Instruction& instruction);

}  // namespace shardscope::inline program
