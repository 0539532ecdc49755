// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/partition/reshard/resharder.h"
#include "engine/partition/types/partitioned.h"

namespace shardscope::inline partitioner {

// XLA's message for a resharding that went through a full copy, and a sharding that avoids it when the array
// is brought to it first.
Rematerialization rematerialization(const Resharder::FullCopy& copy, SpmdDialect dialect);

}  // namespace shardscope::inline partitioner
