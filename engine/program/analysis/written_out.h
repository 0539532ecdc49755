// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/program/ir/program.h"

namespace shardscope {

inline constexpr int32_t kMostWrittenOut = 500'000;  // instructions

// Whether the entry calls computations that run as a part of it: calls, fusions, loops, branches.
bool has_parts(const Program& program);

// The same program with those written out in its entry, round by round, so that it can be timed and drawn one
// instruction after the other; instructions of a loop say their round as step. Errors: rounds or branches
// that depend on data, more than kMostWrittenOut instructions.
Result<Program> written_out(const Program& program);

}  // namespace shardscope
