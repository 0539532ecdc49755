// SPDX-License-Identifier: Apache-2.0
// Manual regions: a device, or a group of devices, does by itself what the module says of one.
#pragma once

#include "engine/partition/rules/visit.h"

namespace shardscope::inline partitioner {

// Values from outside of a region, brought in whole; none come out but by SPMDShardToFullShape.
Result<void> bring_in(const SpmdContext& cx, const Visit& v);

}  // namespace shardscope::inline partitioner
