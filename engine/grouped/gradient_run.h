// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/grouped/gradients.h"
#include "engine/grouped/grouped_run.h"

namespace shardscope::inline grouped {

// The backward pass of a gmm that ran, each of its two products proved like a call of its own.
struct GradientRun {
  Array grad;  // [m, n], of the output's type
  GroupedRun of_lhs;
  GroupedRun of_rhs;  // a tgmm: its output is [groups, k, n] however rhs is turned
  GroupedGradients gradients;
};

// `grad` of the output, filled from the problem's seed when it is not given. Errors: a tgmm, a gradient of
// another shape or type.
Result<GradientRun> run_gradients(const GroupedProblem& problem, const GroupedRun& forward,
                                  const std::optional<Array>& grad, const GroupedTolerance& tolerance,
                                  const Workers& workers, const std::stop_token& stop);

}  // namespace shardscope::inline grouped
