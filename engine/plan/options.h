// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/collectives/collective.h"
#include "engine/plan/kernel_call.h"
#include "engine/plan/untimed.h"
#include "engine/request/module_timing.h"

namespace shardscope::inline planner {

struct PlanOptions {
  bool overlap = true;  // off: every device runs its instructions one after another, in program order
  CollectiveAlgorithm collective = CollectiveAlgorithm::automatic;  // for collectives that do not name theirs
  // Instructions that a kernel stands for, each once. A collective among them is a call that holds the core,
  // so that the run is in program order as with overlap off.
  std::vector<KernelCall> calls;
  Untimed untimed;
  ModuleTiming module;  // what its custom-calls take
};

}  // namespace shardscope::inline planner
