// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stop_token>

#include "engine/strategies/strategy.h"

namespace shardscope {

// Strategy::plan of a program that keeps its loops: stretches of at least `fewest_rounds` like steps are a
// `while` of the program, where the strategy knows such; all else is as it plans it.
Result<Program> plan_looped(const Strategy& strategy, const Mesh& mesh, const MatmulProblem& problem,
                            const StrategyOptions& given, int64_t fewest_rounds,
                            const std::stop_token& stop = {});

}  // namespace shardscope
