// SPDX-License-Identifier: Apache-2.0
// A kernel under many schedules.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include "engine/base/parallel.h"
#include "engine/kernels/machine/schedule.h"
#include "engine/kernels/program/kernel_entry.h"

namespace shardscope::kernels {

struct ExploreOptions {
  int64_t schedules = 300;
  uint64_t seed = 0;                   // of the first schedule; the others follow
  std::optional<uint64_t> input_seed;  // none: the seed above
  std::optional<Policy> policy;        // none: as schedule_of mixes them
  // Told now and then what was found so far, on the calling thread; may be empty. `schedules` of it is how
  // many were run.
  std::function<void(const KernelRun& so_far)> progress;
};

// Runs `entry` under schedules seed, seed + 1, …: counts, and each finding once with the first seed that
// shows it. The same on any number of threads. Errors: cancelled.
Result<KernelRun> explore(const KernelEntry& entry, const KernelProgram& program,
                          const ExploreOptions& options, const Workers& workers, const std::stop_token& stop);

// Errors: so many machines would take more memory than is allowed.
Result<void> check_machines(const KernelProgram& program, int64_t machines);
// Adds what one run showed, which `seed` names.
void count_outcome(KernelRun& run, const Outcome& outcome, uint64_t seed);

}  // namespace shardscope::kernels
