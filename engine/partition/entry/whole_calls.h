// SPDX-License-Identifier: Apache-2.0
// Registered operations that say how they are sharded or what they take (program/registered.h): a call stays
// one instruction while shardings spread by its rule and it is partitioned by it, then it is one kernel on
// each device's shards.
#pragma once

#include <optional>
#include <stop_token>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline partitioner {

// The module with custom-calls that name their computation in place of such calls; none: it has none. Errors:
// a rule that is none, or does not fit the call's arrays.
Result<std::optional<Program>> with_whole_calls(const Program& module);

// Fusions in place of these in the program that `source` was partitioned into. Their computations are the
// operation's on shards. Errors: an operation whose shards need each other's numbers, though its rule says
// that they do not; cancelled.
Result<void> fuse_whole_calls(const Program& source, Program& made, const std::stop_token& stop);

}  // namespace shardscope::inline partitioner
