// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <vector>

#include "engine/backend/kernel.h"
#include "engine/base/result.h"

namespace shardscope::inline backend {

// Which instructions of a computation XLA's compiler for CPUs makes one loop of: from the last reader back,
// what it reads is computed in the same loop, by each reader anew, unless that repeats work that is dear, by
// element or by reader, or makes too much code. Long reductions are a
// library's (library_kernels.h). What stays alone is left out. Error: stopped.
Result<std::vector<Kernel>> plan_cpu_fusions(const Program& program, const Computation& computation,
                                             const std::stop_token& stop);

}  // namespace shardscope::inline backend
