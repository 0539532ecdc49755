// SPDX-License-Identifier: Apache-2.0
// Operations of a module whose arrays fit already, as Shardy's partitioner leaves them: each device does them
// on what it has, and every collective stands for itself.
#pragma once

#include <optional>

#include "engine/partition/rules/visit.h"

namespace shardscope::inline partitioner {

// None: the operation's own rule writes it.
std::optional<Result<ShardedLeaves>> write_fitted(const SpmdContext& cx, const Visit& v);

// Partial results along `members` (none: all devices have all of it) as the instruction leaves them:
// combined, or, where a collective of its own follows, as they are. `combining`: by what.
InstructionId combined_or_partial(const SpmdContext& cx, const Visit& v, InstructionId id,
                                  const std::optional<DeviceGroups>& members, Opcode combining);

}  // namespace shardscope::inline partitioner
