// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/doubling.h"

#include <bit>

#include "engine/base/check.h"

namespace shardscope::inline collectives {

DoublingSchedule::DoublingSchedule(CollectiveKind kind, DoublingOrder order, int32_t ranks, bool pairs)
    : CollectiveSchedule({kind, ranks, ranks, std::countr_zero(static_cast<uint32_t>(ranks)),
                          Dependency::every_earlier, 1, pairs}),
      order_(order),
      bits_(steps()) {
  CHECK(std::has_single_bit(static_cast<uint32_t>(ranks)), ranks);
}

int32_t DoublingSchedule::place(int32_t rank) const {
  if (order_ == DoublingOrder::near_large) return rank;
  int32_t reversed = 0;
  for (int32_t b = 0; b < bits_; ++b) reversed |= (rank >> b & 1) << (bits_ - 1 - b);
  return reversed;
}

void DoublingSchedule::append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const {
  const bool scatters = kind() == CollectiveKind::reduce_scatter;
  const int32_t bit = scatters ? bits_ - 1 - step : step;
  const int32_t own = place(source);
  const int32_t partner = own ^ (1 << bit);
  Transfer t;
  t.step = step;
  t.source = source;
  t.target = place(partner);
  t.adds = kind() != CollectiveKind::all_gather;
  if (kind() == CollectiveKind::all_reduce) {
    t.count = ranks();
  } else {
    // A gather passes on its own aligned group of chunks, a scatter gives the partner's away.
    t.chunk = (scatters ? partner : own) >> bit << bit;
    t.count = 1 << bit;
  }
  out.push_back(t);
}

}  // namespace shardscope::inline collectives
