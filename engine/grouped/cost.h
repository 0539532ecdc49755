// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/grouped/grouped.h"

namespace shardscope::inline grouped {

// What a call costs, as megablox tells XLA beforehand (knowing no group sizes), and as the schedule really
// does. Bytes go between HBM and VMEM; a block is fetched when its index differs from the step before, and
// blocks at the edge of k and n are as small as what is there.
struct GroupedCost {
  int64_t flops = 0;           // 2·m·k·n: the estimate
  int64_t flops_exact = 0;     // 2·rows·k·n of the shard's own rows
  int64_t flops_issued = 0;    // 2·multiplied_tiles·tm·k·n: by the matrix unit, wasted rows included
  int64_t bytes_estimate = 0;  // takes the largest number of steps that any group sizes could need
  int64_t bytes_exact = 0;     // the sum of the four below
  int64_t lhs_bytes = 0, rhs_bytes = 0, existing_bytes = 0, out_bytes = 0;
  int64_t metadata_bytes = 0;  // prefetched lists, beside bytes_exact
  bool operator==(const GroupedCost&) const = default;
};

GroupedCost gmm_cost(const GroupedShape& shape, const GroupMetadata& metadata);
GroupedCost tgmm_cost(const GroupedShape& shape, const GroupMetadata& metadata);

}  // namespace shardscope::inline grouped
