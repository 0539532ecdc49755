// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/program/ir/program.h"
#include "engine/session/proof/size_classes.h"

namespace shardscope::inline session {

inline constexpr int64_t kFewLeftOut =
    8;  // elements that a slice leaves out or padding adds, whatever the size

// An instruction on arrays and the numbers of their sizes: of an array with n dimensions n numbers in a row,
// of which the first is said.
struct SizedInstruction {
  const Computation& computation;
  const Instruction& i;
  std::vector<size_t> operands;  // the first leaf of each
  std::vector<size_t> results;   // by leaf

  const Shape& operand(size_t k) const { return computation.at(i.operands[k]).shape; }
};

// How an operation links the sizes of its operands and its results: by its factors (Shardy's rules), and what
// slices, padding, windows and collectives say in numbers. Sizes of what has no rule stay.
void link_sizes(const SizedInstruction& x, SizeClasses& sizes);

}  // namespace shardscope::inline session
