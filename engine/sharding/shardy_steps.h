// SPDX-License-Identifier: Apache-2.0
// The way that Shardy takes from one split to another, and the one that PyTorch's DTensor takes.
#pragma once

#include <optional>
#include <vector>

#include "engine/sharding/split_step.h"

namespace shardscope::inline sharding {

// Shardy's pass reshard-to-collectives: slice, permute, all-to-alls, gather, in that order, each as far as it
// brings the split nearer. Partial results are combined before, along the axes that are not partial behind.
// None: it makes no partial results out of copies or parts.
std::optional<std::vector<SplitStep>> shardy_steps(const AxisSplit& from, const AxisSplit& to,
                                                   const Mesh& mesh, const std::vector<int64_t>& dims);

// A sum of which each device keeps a part, which the slice behind it cuts: a reduce-scatter, and the slices
// that are left. None: it is not cut along all axes that are summed over, or along others first.
struct ScatteredSum {
  SplitStep scatter;
  std::optional<SplitStep> rest;
};
std::optional<ScatteredSum> scattered_sum(const SplitStep& sum, const SplitStep& slice);

// PyTorch's redistribute with its greedy planner: a placement for each axis of the mesh, one step an axis.
// None: its placements do not say a split (parts of axes, axes of one dimension against the mesh's order),
// or the target has partial results.
std::optional<std::vector<SplitStep>> dtensor_steps(const AxisSplit& from, const AxisSplit& to,
                                                    const Mesh& mesh);

}  // namespace shardscope::inline sharding
