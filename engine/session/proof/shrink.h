// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline session {

inline constexpr int64_t kShrunkRounds = 3;
inline constexpr int64_t kFewElements = 8;  // that tell a dimension from the parts it is split into

struct ShrinkWishes {
  bool ordered = false;          // what is larger stays larger, for rules that compare sizes
  int64_t least = kFewElements;  // elements of a dimension, where it is not split into more parts
};

// The same module with smaller arrays: the same operations, shardings, loops and devices, dimensions that
// belong together shrunk together; what divides still divides, what does not still leaves the same remainder.
struct ShrunkModule {
  Program module;
  double scale = 1;  // elements of its arrays, of all
};
// Loops that count to a constant go round kShrunkRounds times at most. `module`: as prepare_for_spmd makes
// it. Error: nothing of it can be made smaller.
Result<ShrunkModule> shrink_module(const Program& module, const ShrinkWishes& wishes);

}  // namespace shardscope::inline session
