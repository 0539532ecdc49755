// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/bruck.h"

#include <algorithm>
#include <bit>

namespace shardscope::inline collectives {

BruckSchedule::BruckSchedule(CollectiveKind kind, int32_t ranks, bool one_axis)
    : CollectiveSchedule({kind, ranks, ranks,
                          static_cast<int32_t>(std::bit_width(static_cast<uint32_t>(ranks) - 1)),
                          Dependency::every_earlier, 1, one_axis}) {}

void BruckSchedule::append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const {
  const bool scatters = kind() == CollectiveKind::reduce_scatter;
  const int32_t have = 1 << (scatters ? steps() - 1 - step : step);
  const int32_t n = ranks();
  Transfer t;
  t.step = step;
  t.source = source;
  t.target = (source + (scatters ? have : n - have)) % n;
  t.chunk = scatters ? t.target : source;
  t.count = std::min(have, n - have);
  t.adds = scatters;
  out.push_back(t);
}

}  // namespace shardscope::inline collectives
