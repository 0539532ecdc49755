// SPDX-License-Identifier: Apache-2.0
// What XLA's GPU backend makes of a partitioned module's collectives before it schedules them.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/stages/stage.h"

namespace shardscope {

// Collectives of one kind become one while their results together are smaller.
inline constexpr int64_t kCombineBytes = int64_t{30} << 20;

// The module after one pass; values are the same, bit for bit but for the order of sums.
struct BackendPass : ModuleStage {
  std::string pass;               // "reduce-scatter-creator"
  std::vector<std::string> said;  // what it did, a sentence each
};

// reduce-scatter-creator: a sum of which each device keeps its own part alone. Combiners of all-gathers,
// all-reduces, reduce-scatters and permutes: what does not wait for each other and goes the same way, up to
// `most` bytes. Each pass a stage, after the one before it; the last is given. Errors: stopped.
Result<std::shared_ptr<const BackendPass>> collective_passes(const StagePtr& partitioned, int64_t most,
                                                             const std::stop_token& stop);
// All passes behind `last`, in their order.
std::vector<std::shared_ptr<const BackendPass>> passes_of(std::shared_ptr<const BackendPass> last);

}  // namespace shardscope
