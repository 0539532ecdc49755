// SPDX-License-Identifier: Apache-2.0
// One step of an array on its way from one split to another.
#pragma once

#include <string>
#include <vector>

#include "engine/sharding/axis_split.h"

namespace shardscope::inline sharding {

struct SplitStep {
  // slice: every device keeps a part of what it has. exchange: an all-to-all, what split one dimension splits
  // another. make_partial: what devices had as copies or parts becomes partial results, on each by itself.
  enum class Kind { slice, permute, exchange, gather, reduce_scatter, all_reduce, make_partial };
  Kind kind = Kind::slice;
  // Along which devices work together, in order (of an exchange as they split the other dimension); of a
  // permute none.
  AxisParts axes;
  AxisSplit from, to;
  bool operator==(const SplitStep&) const = default;
};
using StepKind = SplitStep::Kind;
// HLO's name of what it does: "all-gather".
const char* opcode_of(SplitStep::Kind kind);
// Devices work by themselves.
bool is_local(SplitStep::Kind kind);

// The dimension whose split differs by more, or by less, axes behind the step.
size_t grown_dim(const SplitStep& step);
size_t shrunk_dim(const SplitStep& step);

}  // namespace shardscope::inline sharding
