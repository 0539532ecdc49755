// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/computation_rewrite.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// The same with long reductions in steps, as XLA's compiler for CPUs has them: more than 32 elements window
// by window (its TreeReductionRewriter), running sums of more than 16 by rows, then over the rows' ends (its
// ReduceWindowRewriter). What those steps read and give are arrays.
Computation reduced_in_steps(const Program& program, const Computation& computation, FreshNames& fresh);

}  // namespace shardscope::inline backend
