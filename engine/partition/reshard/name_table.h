// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/program/ir/program.h"

namespace shardscope::inline partitioner {

// Names for the instructions and computations of `made`, in the order of their making, as XLA's NameUniquer
// gives them: the opcode, then opcode.1, opcode.2, … without the numbers that `source` has used.
void give_names(const Program& source, Program& made);

}  // namespace shardscope::inline partitioner
