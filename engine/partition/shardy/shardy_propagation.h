// SPDX-License-Identifier: Apache-2.0
// Shardy's propagation: axes spread through the factors of each operation, both ways, until nothing changes.
// Users' priorities one after the other; in each the operations' priorities; where factors want the same
// axis of an array, the larger array's wins.
#pragma once

#include <stop_token>

#include "engine/partition/propagate/propagation.h"
#include "engine/partition/shardy/shardy_arrays.h"
#include "engine/partition/types/spmd_prepare.h"

namespace shardscope::inline partitioner {

// What holds at the ends of the entry: which may be cut, and whether by whole axes only (PropagationOptions).
struct EntryEnds {
  OpenEnds may_cut;
  bool whole_axes = true;
};

// Fills shardings into `module` and what led to them into out.steps. Errors: shardings that XLA's form does
// not have; cancelled.
Result<void> spread_by_factors(const PropagationGuides& guides, const EntryEnds& ends, Program& module,
                               PropagatedModule& out, const std::stop_token& stop);

}  // namespace shardscope::inline partitioner
