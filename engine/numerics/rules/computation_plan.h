// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope {

// Dots that are run as one product: C (or what `base` is) is touched once for many small contractions.
struct DotSum {
  std::vector<InstructionId> dots;  // in the order of addition
  InstructionId base;               // what they are added to, if anything
};

enum class OperandSide : uint8_t;

// How one computation is executed: which dots wait for the add that sums them or the convert that rounds
// them, and what follows for lifetimes.
struct ComputationPlan {
  std::map<int32_t, DotSum> sums;  // by the instruction that executes them
  std::vector<char> deferred;      // part of a later instruction's sum
  std::vector<uint8_t> kept;       // OperandSides on which several dots read it: packed once for all of them
  std::vector<std::vector<int32_t>> dying;  // by instruction: values that nobody reads after it
};
// `alone`: no dot waits for a sum.
enum class DotPlan { summed, alone };
ComputationPlan make_plan(const Computation& computation, DotPlan dots);

}  // namespace shardscope
