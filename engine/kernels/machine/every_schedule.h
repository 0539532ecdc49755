// SPDX-License-Identifier: Apache-2.0
// Every schedule of a kernel on a small mesh. Of schedules that differ only in the order of steps which
// cannot meet, one is run: P. Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems",
// 1996 (persistent and sleep sets). Steps meet when they are one device's or one DMA's, and when they tell
// the same semaphore, for a wait takes what came first. Accesses to memory need no order of their own: races
// are found by happens-before, so one schedule shows what all show that differ in nothing else.
#pragma once

#include <cstdint>
#include <stop_token>

#include "engine/kernels/machine/explore.h"

namespace shardscope::kernels {

struct EveryOptions {
  int64_t most = 100'000;  // schedules
  uint64_t input_seed = 0;
};

struct EveryRun {
  KernelRun run;      // each finding with the number of the first schedule that shows it
  bool every = true;  // false: there are more schedules than were allowed
};

// Errors: cancelled; arrays too large.
Result<EveryRun> explore_every(const KernelEntry& entry, const KernelProgram& program,
                               const EveryOptions& options, const std::stop_token& stop);

}  // namespace shardscope::kernels
