// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/schedule.h"

#include <algorithm>

namespace shardscope::inline collectives {

void CollectiveSchedule::append_step(int32_t step, std::vector<Transfer>& out) const {
  for (int32_t r = 0; r < outline_.ranks; ++r) append_from(step, r, out);
}

int32_t CollectiveSchedule::home(int32_t chunk) const {
  return static_cast<int32_t>(int64_t{chunk} * outline_.ranks / outline_.chunks);
}

int32_t CollectiveSchedule::goal(int32_t chunk) const {
  const int32_t parts = std::max(1, chunks() / ranks() / ranks());
  return (home(chunk) + chunk / parts % ranks()) % ranks();
}

void CollectiveSchedule::append_chunks(const Transfer& transfer, std::vector<int32_t>& out) const {
  for (int32_t k = 0; k < transfer.count; ++k) {
    const int64_t chunk = int64_t{transfer.chunk} + k;
    out.push_back(static_cast<int32_t>(chunk < chunks() ? chunk : chunk - chunks()));
  }
}

}  // namespace shardscope::inline collectives
