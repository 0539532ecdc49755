// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/program/ir/program.h"
#include "engine/session/proof/small_sizes.h"

namespace shardscope::inline session {

inline constexpr int64_t kShrunkRounds = 3;
inline constexpr int64_t kFewElements = 8;  // that tell a dimension from the parts it is split into

// The same module with smaller arrays: the same operations, shardings, loops and devices, dimensions that
// belong together shrunk together; what divides still divides, what does not still leaves the same remainder.
struct ShrunkModule {
  Program module;
  double scale = 1;  // elements of its arrays, of all
};
// Loops that count to a constant go round kShrunkRounds times at most. `module`: as prepare_for_spmd makes
// it. `wishes`: period and least are raised to what it is split by. Error: nothing of it can be made smaller.
Result<ShrunkModule> shrink_module(const Program& module, SizeWishes wishes);

}  // namespace shardscope::inline session
