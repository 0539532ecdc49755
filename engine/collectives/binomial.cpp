// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/binomial.h"

#include <bit>

namespace shardscope::inline collectives {

BinomialSchedule::BinomialSchedule(CollectiveKind kind, int32_t ranks)
    : CollectiveSchedule({kind, ranks, 1,
                          static_cast<int32_t>(std::bit_width(static_cast<uint32_t>(ranks) - 1)),
                          Dependency::every_earlier, 1, false}) {}

void BinomialSchedule::append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const {
  const int32_t reach = 1 << step;
  if (kind() == CollectiveKind::broadcast) {
    if (source < reach && source + reach < ranks())
      out.push_back({step, source, source + reach, 0, 1, 0, false});
  } else if (source % (2 * reach) == reach) {
    out.push_back({step, source, source - reach, 0, 1, 0, true});
  }
}

}  // namespace shardscope::inline collectives
