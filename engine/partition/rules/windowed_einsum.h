// SPDX-License-Identifier: Apache-2.0
// S. Wang et al., "Overlap communication with dependent computation via decomposition in large deep learning
// models", ASPLOS 2023, as XLA's partitioner does it: instead of gathering an operand (or scattering a sum) a
// loop passes its shards round the devices and multiplies each as it comes by.
#pragma once

#include <optional>
#include <vector>

#include "engine/partition/rules/dot_axes.h"

namespace shardscope::inline partitioner {

// The shards of `side` pass by: the other operand is cut like the result along its own dimension. None: the
// options or the tilings do not allow it.
std::optional<Sharded> windowed_case(const DotContext& cx, const DotLevel& level, DotSide side);
// Partial sums pass by: both operands are cut along the contraction, and the result along one operand's own
// axis.
std::optional<Sharded> windowed_sum_case(const DotContext& cx, const DotLevel& level);

// What goes round, and what the loop does with the part that is at hand.
struct EinsumWindow {
  // The operand whose shards go round. When the sum goes round instead (`scatters`): the one that is
  // multiplied in parts.
  DotSide side = DotSide::rhs;
  size_t dim = 0;          // its dimension that is cut into parts
  int64_t other_dim = -1;  // the same axis in the other operand,
  int64_t out_dim = -1;    // and in the result
  bool scatters = false;
  std::vector<int64_t> order;  // the ring
};
Sharded window_loop(const DotContext& cx, const DotLevel& level, const EinsumWindow& window);

}  // namespace shardscope::inline partitioner
