// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collectives/schedule.h"

namespace shardscope::inline collectives {

// broadcast: in step s the ranks below 2^s, which have it, send to the rank 2^s above. reduce: in step s the
// odd multiples of 2^s send their sum to the rank 2^s below. ceil(log2 n) steps of the whole array.
class BinomialSchedule final : public CollectiveSchedule {
 public:
  BinomialSchedule(CollectiveKind kind, int32_t ranks);
  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override;
};

}  // namespace shardscope::inline collectives
