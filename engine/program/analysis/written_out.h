// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope {

inline constexpr int32_t kMostWrittenOut = 500'000;  // instructions

// Whether the entry calls computations that run as a part of it: calls, fusions, loops, branches.
bool has_parts(const Program& program);

// For branches that data chooses: the one that costs most is written, which `assumptions` say.
struct WorstBranches {
  std::function<double(const Computation&)> cost;
  std::vector<std::string> assumptions{};
};

// The same program with those written out in its entry, round by round, so that it can be timed and drawn one
// instruction after the other; instructions of a loop say their round as step. Errors: rounds that depend on
// data, branches that do when no `worst` is given, more than kMostWrittenOut instructions.
Result<Program> written_out(const Program& program, WorstBranches* worst = nullptr);

}  // namespace shardscope
