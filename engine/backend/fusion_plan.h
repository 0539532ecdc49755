// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <vector>

#include "engine/backend/compile_as.h"
#include "engine/backend/kernel.h"

namespace shardscope::inline backend {

// Which instructions of a computation become kernels of several, or are a kernel where they would be free in
// a kernel: each root stands in one of them; what none holds stays as it is. Ordered by their last roots.
Result<std::vector<Kernel>> plan_fusions(const Computation& computation, const KernelClock& clock,
                                         CompileAs as, const std::stop_token& stop);

}  // namespace shardscope::inline backend
