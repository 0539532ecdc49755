// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/collectives/collective.h"

namespace shardscope {

// The algorithms for a kind that are different on such a group: without those that are another one there,
// like both ways round a line.
std::vector<CollectiveAlgorithm> distinct_algorithms(CollectiveKind kind, int32_t ranks,
                                                     const GroupTopology& topology);

}  // namespace shardscope
