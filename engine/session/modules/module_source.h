// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/partition/types/partitioned.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline session {

// What each device does for a module as JAX source (shard_map_source.h), partitioned first when it is not
// yet.
Result<std::string> module_source(const StagePtr& last, const PartitionOptions& options);
Result<std::string> module_source(const Program& module, const PartitionOptions& options);

}  // namespace shardscope::inline session
