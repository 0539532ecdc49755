// SPDX-License-Identifier: Apache-2.0
// The way of a module's kernels, as they ran, through its calls, as they are scheduled: the likeliest one.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/measure/import/module_calls.h"

namespace shardscope::inline measure {

// What one kernel may be.
struct RanKernel {
  const ModuleCalls::Candidates* candidates = nullptr;  // by place
  bool given = false;                                   // the profile says it: nothing is to be found
  bool before = false;  // a memset or a copy, which comes in front of the kernel of the same call
  bool again = false;   // the same kernel as the one before it
};

struct KernelPlace {
  int32_t call = -1;  // -1: none of the module's
  double sure = 0;    // 0…1
};

// By kernel, in the order of their start. A call follows the one before it; what lies between two is skipped
// at a price, a loop begins again at its end, and the module as well. A way back costs most: kernels of
// several streams overtake each other.
Result<std::vector<KernelPlace>> call_path(const ModuleCalls& module, const std::vector<RanKernel>& kernels,
                                           const std::stop_token& stop);

}  // namespace shardscope::inline measure
