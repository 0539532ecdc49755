// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/numerics/plan/library_calls.h"

namespace shardscope::inline numerics {

// Whether a bitcast reads memory that tiles cut as another array's: then which element stands where follows
// from both layouts.
bool is_between_tiles(const Shape& from, const Shape& to);
// What stands for it: the elements in the order of memory, of which places that fill tiles up are zero.
// `from`: its operand's shape with its layout.
InstructionId write_tiled_bitcast(const Instruction& bitcast, const Shape& from, const CallWriter& writer);

}  // namespace shardscope::inline numerics
