// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline session {

inline constexpr int64_t kShrunkRounds = 3;

// The same module with smaller arrays: the same operations, shardings, loops and devices, dimensions that
// belong together shrunk together; what divides still divides, what does not still leaves the same remainder.
struct ShrunkModule {
  Program module;
  double scale = 1;  // elements of its arrays, of all
};
// Loops that count to a constant go round kShrunkRounds times at most. `module`: as prepare_for_spmd makes
// it. `ordered`: what is larger stays larger, for rules that compare sizes. Error: nothing of it can be made
// smaller.
Result<ShrunkModule> shrink_module(const Program& module, bool ordered);

}  // namespace shardscope::inline session
