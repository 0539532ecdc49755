// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline numerics {

// Dots that are run as one product: C (or what `base` is) is touched once for many small contractions.
struct DotSum {
  std::vector<InstructionId> dots;  // in the order of addition
  InstructionId base;               // what they are added to, if anything
};

// A dot, or a sum of dots that a collective adds up between devices: never there as a whole.
struct JointDots {
  InstructionId result;  // the dot's or the collective's
  DotSum sum;
  bool collective = false;
};

enum class OperandSide : uint8_t;

// How one computation is executed: which dots wait for the add that sums them, the convert that rounds them
// or the collective that adds them up, which run together since they read the same right operand, and what
// follows for order and lifetimes.
struct ComputationPlan {
  std::map<int32_t, DotSum> sums;                   // by the instruction that executes them
  std::map<int32_t, std::vector<JointDots>> joint;  // by the first of their results, which executes them all
  std::vector<char> deferred;  // part of a later instruction's sum, or given by an earlier joint one
  std::vector<uint8_t> kept;   // OperandSides on which several dots read it: packed once for all of them
  std::vector<int32_t> order;  // in which instructions are executed
  std::vector<std::vector<int32_t>> dying;  // by instruction: values that nobody reads after it
};
// `summed`: dots wait for adds and converts alone, and instructions are executed in their order; `alone`: for
// nothing.
enum class DotPlan { joint, summed, alone };
ComputationPlan make_plan(const Computation& computation, DotPlan dots);

// Integer scalars are indices mostly, which every step computes anew: they are no arrays.
bool is_inline_scalar(const Shape& shape);

}  // namespace shardscope::inline numerics
