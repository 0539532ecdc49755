// SPDX-License-Identifier: Apache-2.0
// What XLA's compiler for CPUs makes of a partitioned module, as far as the module's arrays in memory follow
// from it: which types it computes in, what it cuts into steps, what is one loop. It is open, and says what
// memory it takes, so it is what memory is checked against; TPUs' says neither.
#pragma once

#include <stop_token>

#include "engine/backend/cpu_types.h"
#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// For its arrays alone, not to be run: reducers keep their types, and what is padded says not how. Errors:
// stopped.
Result<Program> as_on_cpus(const Program& program, const WidenedTypes& widened, const std::stop_token& stop);

}  // namespace shardscope::inline backend
