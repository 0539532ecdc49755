// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collectives/schedule.h"

namespace shardscope::inline collectives {

// all-gather in ceil(log2 n) steps for any n: after k steps a rank holds the chunks of 2^k ranks from itself
// on, and sends them 2^k ranks down. reduce-scatter is the same backwards. J. Bruck et al., "Efficient
// Algorithms for All-to-All Communications in Multiport Message-Passing Systems", 1997.
class BruckSchedule final : public CollectiveSchedule {
 public:
  BruckSchedule(CollectiveKind kind, int32_t ranks, bool one_axis);
  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override;
};

}  // namespace shardscope::inline collectives
