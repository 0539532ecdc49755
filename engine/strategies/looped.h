// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/strategies/strategy.h"

namespace shardscope::inline strategy {

// Strategy::plan of a program that keeps its loops: stretches of at least `fewest_rounds` like steps are a
// `while` of the program, where the strategy knows such; all else is as it plans it.
Result<Program> plan_looped(const Strategy& strategy, const Mesh& mesh, const MatmulProblem& problem,
                            const StrategyOptions& given, int64_t fewest_rounds,
                            const std::stop_token& stop = {});

// A program to be looked at, not run (SpmdBuilder::sketch).
struct ProgramSketch {
  Program program;
  std::vector<double> times;  // by instruction of the entry: how often it is done; empty: each once
};
// What plan_looped plans, as a sketch, in which a few rounds stand for many that are alike. Errors: as there.
Result<ProgramSketch> sketch(const Strategy& strategy, const Mesh& mesh, const MatmulProblem& problem,
                             const StrategyOptions& given, int64_t fewest_rounds,
                             const std::stop_token& stop = {});

}  // namespace shardscope::inline strategy
