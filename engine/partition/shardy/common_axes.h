// SPDX-License-Identifier: Apache-2.0
// How an operation's factors are split while it is done, where its arrays say different things.
#pragma once

#include <vector>

#include "engine/partition/shardy/factor_spread.h"

namespace shardscope::inline partitioner {

// By factor, as Shardy's insert-explicit-reshards chooses: what all arrays say where they agree; of two
// arrays what the preferred one says; else axis by axis what the largest arrays say. `arrays`: operands, then
// results. What needs the whole of its dimension is not split.
std::vector<AxisList> common_axes(const FactorRule& rule, const std::vector<ArrayByFactors>& arrays,
                                  const AxisMesh& mesh);

}  // namespace shardscope::inline partitioner
