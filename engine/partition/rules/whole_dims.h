// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sharding/tiling.h"

namespace shardscope::inline partitioner {

// Of dimensions of which every device needs all: their cuts go to others that they divide, else they are
// gathered. `base`: the array's.
Tiling whole_along(Tiling at, const std::vector<int64_t>& base, const std::vector<int64_t>& dims);

}  // namespace shardscope::inline partitioner
