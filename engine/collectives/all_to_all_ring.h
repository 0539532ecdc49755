// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collectives/schedule.h"

namespace shardscope::inline collectives {

// all-to-all by store and forward: in each step a rank passes on everything that came in the step before and
// is not yet home, as one message.
//   one_way: up, n-1 steps.
//   shorter: each the shorter way round, floor(n/2) steps; for even n what goes to the far side goes half up
//   and
//     half down.
//   line: up what goes to higher ranks, down the rest, n-1 steps.
enum class AllToAllForm { one_way, shorter, line };

class AllToAllRing final : public CollectiveSchedule {
 public:
  AllToAllRing(AllToAllForm form, int32_t ranks, bool one_axis);
  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override;

 private:
  AllToAllForm form_;
};

}  // namespace shardscope::inline collectives
