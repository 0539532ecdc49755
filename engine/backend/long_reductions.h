// SPDX-License-Identifier: Apache-2.0
// What XLA for GPUs makes of reductions that one block of threads does not do.
#pragma once

#include <cstdint>

#include "engine/backend/computation_rewrite.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// The one dimension along which a reduce-window runs from an end up to each element; -1: it does not.
int64_t running_dimension(const Shape& of, const Instruction& window);

// How many parts a reduction of `n` elements is cut into, about √n: those that need the least padding, of
// these a power of two (XLA's TreeReductionRewriter).
int64_t parts_of_reduction(int64_t n);

// Of a computation of the program: rows of more than 16384 elements and columns of more than 4096 are reduced
// part by part, then the parts (TreeReductionRewriter); running sums of more than 16 by rows of 16, then over
// the rows' ends (ReduceWindowRewriter).
void cut_long_reductions(const Program& program, Computation& computation, FreshNames& fresh);

}  // namespace shardscope::inline backend
