// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// Adds an instruction without a name; names are the caller's.
using AddInstruction = std::function<InstructionId(Instruction)>;

// Products of rows in groups (ragged-dot) as products of the rows once for each group, zeros where they are
// another group's: what JAX and XLA write where a chip has no kernel of its own for them. `rows` are [m,k],
// sizes s32[groups]; the result is [m,groups,k].
InstructionId rows_of_each_group(const AddInstruction& add, InstructionId rows, const Shape& shape,
                                 InstructionId sizes, int64_t groups);

// Over groups and k: [m,groups,k] and [groups,k,n] give [m,n].
DotDims over_groups();
// Over rows: [m,groups,k] and [m,n] give [groups,k,n].
DotDims over_rows();

}  // namespace shardscope::inline program
