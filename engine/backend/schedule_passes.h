// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/backend/backend_passes.h"

namespace shardscope::inline backend {

// Collectives become pairs of a start and an end, what runs is put in an order, and pairs that nothing runs
// between become one instruction again. `request` outlives them.
std::vector<Pass> schedule_passes(const BackendRequest& request);
// Who orders it.
bool hides_latency(const BackendRequest& request);

}  // namespace shardscope::inline backend
