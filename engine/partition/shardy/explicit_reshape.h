// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "engine/partition/shardy/axis_lists.h"

namespace shardscope::inline partitioner {

// How a reshape's result is split in explicit mode: one dimension becomes several or several become one.
// None: JAX asks for an out_sharding.
std::optional<std::vector<AxisList>> reshaped_dims(const std::vector<int64_t>& from,
                                                   const std::vector<AxisList>& axes,
                                                   const std::vector<int64_t>& to);

}  // namespace shardscope::inline partitioner
