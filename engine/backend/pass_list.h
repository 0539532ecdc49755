// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/backend/backend_passes.h"

namespace shardscope::inline backend {

// The passes of a compiler with these flags, in their order. `request` outlives them.
std::vector<Pass> passes_for(const BackendRequest& request);

}  // namespace shardscope::inline backend
