// SPDX-License-Identifier: Apache-2.0
// What a schedule is made for, and what algorithms share in making one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/collectives/in_turn.h"
#include "engine/collectives/torus.h"

namespace shardscope::inline collectives {

struct CollectiveGroup {
  CollectiveKind kind;
  int32_t ranks;
  const GroupTopology& topology;
  int64_t bytes = 0;

  // Two ranks have one link each way: halves would share it and pay its latency twice.
  bool round() const { return (topology.wraps || topology.all_pairs || topology.node > 0) && ranks > 2; }
  bool line() const { return !round() && ranks > 2; }
  // The axes of more than one rank, slowest first.
  std::vector<TorusAxis> axes() const;
  std::vector<int32_t> axis_sizes() const;
  bool one_axis() const { return axes().size() <= 1; }
  bool equal_nodes() const {
    return topology.node > 1 && topology.node < ranks && ranks % topology.node == 0;
  }
  int32_t segments(int64_t chains) const;
};

using SchedulePtr = std::shared_ptr<const CollectiveSchedule>;

// An all-reduce of what makes reduce-scatters and all-gathers; else the kind itself.
template <class Make>
SchedulePtr scatter_and_gather(CollectiveKind kind, const Make& make) {
  if (kind != CollectiveKind::all_reduce) return make(kind);
  return all_reduce_in_turn(make(CollectiveKind::reduce_scatter), make(CollectiveKind::all_gather));
}

// What makes the schedule of each row of the table of algorithms; the group is what the row needs.
namespace algorithms {
#define ALGORITHM(enumerator, ...) Result<SchedulePtr> enumerator(const CollectiveGroup& group);
#include "engine/collectives/algorithms.def"
#undef ALGORITHM
}  // namespace algorithms

}  // namespace shardscope::inline collectives
