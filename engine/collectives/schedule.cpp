// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/schedule.h"

namespace shardscope {

void CollectiveSchedule::append_step(int32_t step, std::vector<Transfer>& out) const {
  for (int32_t r = 0; r < outline_.ranks; ++r) append_from(step, r, out);
}

int32_t CollectiveSchedule::home(int32_t chunk) const {
  return static_cast<int32_t>(int64_t{chunk} * outline_.ranks / outline_.chunks);
}

}  // namespace shardscope
