// SPDX-License-Identifier: Apache-2.0
// A module step by step, as a training loop runs it: results become arguments of the next step.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/session/hlo_numbers.h"

namespace shardscope::inline session {

// A leaf of the result that is a leaf of the arguments of the next step.
struct CarriedLeaf {
  size_t result = 0, argument = 0;
  std::string words;  // "result{1} becomes w1"
  bool operator==(const CarriedLeaf&) const = default;
};
// What `loop` says and, of other arguments, what the module aliases; by result. Errors: names that the module
// has not, arrays of other shapes.
Result<std::vector<CarriedLeaf>> carried_leaves(const Program& module, const StepLoop& loop);

// Refuses as much warm-up as there are steps.
Result<void> check_loop(const StepLoop& loop);
// Options that say nothing where no steps are asked for, by key.
std::vector<std::string> ignored_without_steps(const StepLoop& loop);

// Steps as they are timed, one behind the other: `step` each. Nothing is executed yet.
Result<RunSteps> simulated_steps(const StepLoop& loop, Picoseconds step);

struct StepRequest {
  const StepLoop& loop;
  const std::vector<CarriedLeaf>& carried;
  const Workers& workers;
  RunLimits limits;
  std::function<void(double)> progress;  // may be empty
};
// Executes all of them, from `numbers.arguments` on; `numbers.results` are then those of the last one, and
// `numbers.measured` is of all that are no warm-up.
Result<void> execute_steps(const StepRequest& request, ModuleNumbers& numbers, RunSteps& steps);

}  // namespace shardscope::inline session
