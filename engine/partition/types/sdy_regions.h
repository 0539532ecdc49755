// SPDX-License-Identifier: Apache-2.0
// Manual computations as HLO keeps them in Shardy's words: the arrays of the module enter by
// xla.sdy.GlobalToLocalShape, a call does what each device does, and they leave by
// xla.sdy.LocalToGlobalShape.
#pragma once

#include <optional>

#include "engine/partition/types/spmd_prepare.h"

namespace shardscope::inline partitioner {

bool has_sdy_regions(const Program& module);

// The module with SPMDFullToShardShape and SPMDShardToFullShape in their place, `renamed` as in
// prepare_for_spmd. None: it has no such computation. Errors: shardings that do not fit.
Result<std::optional<Program>> sdy_regions_as_spmd(const Program& module, RenamedInstructions& renamed);

}  // namespace shardscope::inline partitioner
