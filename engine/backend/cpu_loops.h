// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/backend/computation_rewrite.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// What every round of a loop would compute alike is computed once in front of it and carried, and what nobody
// reads of a loop's state is carried no more: XLA's WhileLoopInvariantCodeMotion and WhileLoopSimplifier.
// Told to stop: the loops so far.
void compute_once_for_all_rounds(Program& program, FreshNames& fresh, const std::stop_token& stop);

}  // namespace shardscope::inline backend
