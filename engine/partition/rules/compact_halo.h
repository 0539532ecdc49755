// SPDX-License-Identifier: Apache-2.0
// Windows that lie far from the tiles of their devices: each takes what it needs of whoever has it, and no
// more, where neighbours would hand on what nobody wants. As XLA's partitioner does (ExchangeHaloCompact of
// xla/service/spmd/spmd_partitioner_util.cc), in its order of permutes.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/partition/rules/halo.h"

namespace shardscope::inline partitioner {

// Whether XLA goes this way: some window reaches further from its tile than it is long twice.
bool is_far(const Sharded& value, int64_t tile, const RowWindow& window);
// The rows of is_far() windows; undefined where a row is none of the array.
InstructionId compact_rows(SpmdWriter& writer, const SpmdScope& scope, const Sharded& value,
                           const RowWindow& window);

}  // namespace shardscope::inline partitioner
