// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

inline constexpr int32_t kMostWrittenOut = 500'000;  // instructions

// Whether the entry calls computations that run as a part of it: calls, fusions, loops, branches.
bool has_parts(const Program& program);

// For what data decides when the program runs, and how far it is written out.
struct DataDecisions {
  std::function<double(const Computation&)> cost;  // of branches the one that costs most is written
  // What somebody said; empty functions: nobody did. A branch by its place; the rounds of a loop, `computed`:
  // which follow from the program.
  std::function<Result<std::optional<size_t>>(const Program&, const Instruction& conditional)> branch{};
  std::function<std::optional<int64_t>(const Instruction& loop, bool computed)> rounds{};
  bool keep_fusions = false;  // as one instruction each, but for those that hold collectives or loops
  // A loop's round begins when the one before is over, as compilers run them: what a round sends is there
  // before the next one begins. Of loops that hold collectives.
  bool rounds_in_turn = false;
  std::vector<std::string> assumptions{};  // what was decided, in sentences
};

// The same program with those written out in its entry, round by round, so that it can be timed and drawn one
// instruction after the other; instructions of a loop say their round as step, counted from the one that they
// name. Computations that nothing calls any more are left out. Rounds: as said, else as they can be computed,
// else as the loop's backend_config knows them, else one. Errors: rounds and branches that depend on data
// when no `decisions` are given, more than kMostWrittenOut instructions.
Result<Program> written_out(const Program& program, DataDecisions* decisions = nullptr);

}  // namespace shardscope::inline program
