// SPDX-License-Identifier: Apache-2.0
// The planner of moves.h where whole mesh axes are what moves, one at a time, as papers and shard_map write
// it: a cut takes an axis that the array is not split by yet, an all-to-all takes an axis from one dimension
// to another, a gather gives one up. Nobody's place changes, so it needs no permutes, and never half an axis.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "engine/sharding/partition_spec.h"

namespace shardscope::inline sharding {

using SplitAxes = std::vector<std::string>;  // of one dimension, the first the most significant

struct AxisMove {
  enum class Kind { cut, exchange, gather };
  Kind kind = Kind::cut;
  std::string axis;
  size_t dim = 0;       // that the axis splits afterwards; of a gather: split before
  size_t from_dim = 0;  // of an exchange: that it split before
  bool operator==(const AxisMove&) const = default;
};

// From one split to another of an array of as many dimensions as `from` has; `to` names each axis once. In
// the order of next_move: what cuts cost nothing, exchanges keep the size, gathers come last.
std::vector<AxisMove> plan_axis_moves(const PartitionSpec& from, const PartitionSpec& to);
// The split after a move.
PartitionSpec moved(PartitionSpec from, const AxisMove& move);

bool starts_with(const SplitAxes& axes, const SplitAxes& prefix);
SplitAxes common_prefix(const SplitAxes& a, const SplitAxes& b);

}  // namespace shardscope::inline sharding
