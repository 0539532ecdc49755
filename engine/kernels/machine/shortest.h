// SPDX-License-Identifier: Apache-2.0
// The shortest schedule that was found to break a kernel. Failing schedules are cut down by delta debugging:
// A. Zeller and R. Hildebrandt, "Simplifying and isolating failure-inducing input", 2002.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/kernels/machine/schedule.h"
#include "engine/kernels/program/kernel_entry.h"

namespace shardscope::kernels {

struct ShortestOptions {
  int64_t schedules = 300;        // tried with seeds 0, 1, … before the search gives up
  int64_t failures = 8;           // of them are cut down; the shortest of all is given
  int64_t replays = 200'000;      // at most, of all cuts together
  std::optional<FindingKind> of;  // none: what first breaks a run, as in `breaks`
};

struct ShortestSchedule {
  uint64_t first_seed = 0;      // of the first schedule that failed
  int64_t first_steps = 0;      // of that schedule, to its end
  int64_t first_failed_at = 0;  // how many of them there were when it failed
  std::vector<Action> choices;  // the last one is the step that fails
  KernelFinding finding;        // the same kind as the first schedule's
};

// What was never written is read, or what is not there is touched: a hazard that came true.
bool breaks(FindingKind kind);
// One that spoils a run, at once or at its end; others warn of what another schedule may do.
bool does_harm(FindingKind kind);

// Nothing: no schedule failed before its end. Errors: cancelled.
Result<std::optional<ShortestSchedule>> find_shortest(const KernelProgram& program,
                                                      const ShortestOptions& options,
                                                      const std::stop_token& stop);

}  // namespace shardscope::kernels
