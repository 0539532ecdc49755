// SPDX-License-Identifier: Apache-2.0
// A strategy's product step by step; what carries over is Y, as X or W of the next step.
#pragma once

#include <memory>

#include "engine/numerics/check/numerics.h"
#include "engine/run/run.h"
#include "engine/session/module_steps.h"

namespace shardscope::inline session {

struct StrategyCarry {
  bool to_lhs = false, to_rhs = false;
  bool any() const { return to_lhs || to_rhs; }
};
// Errors: other names than Y, X and W, a Y of another shape.
Result<StrategyCarry> strategy_carry(const StepLoop& loop, const MatmulProblem& problem);

// The steps of a timed run that asks for some, as they are timed; `numerics`: they will be executed.
Result<void> time_steps(bool numerics, Run& run);

// Executes the program as often as `run.steps` says, each step compared with its own reference, and writes
// the times there. The report is of the first step that is wrong, else of the last; `first`: X and W.
Result<NumericsOutcome> execute_steps(const std::shared_ptr<const ProblemData>& first,
                                      NumericsOptions numerics, const Workers& workers, std::stop_token stop,
                                      Run& run);

}  // namespace shardscope::inline session
