// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/routes.h"

namespace shardscope::inline scheduler {

Routes::Routes(const Fabric& fabric, const Symmetry* symmetry)
    : fabric_(fabric),
      symmetry_(symmetry),
      lane_count_((symmetry == nullptr ? fabric.devices() : static_cast<int32_t>(symmetry->played().size())) *
                  fabric.lane_count()),
      known_(2 * static_cast<size_t>(fabric.devices())) {}

Route Routes::look_up(int32_t from, int32_t to, int direction) {
  const Hop hop = fabric_.next_hop(from, to, direction);
  if (!fabric_.has_pair_links() && symmetry_ != nullptr) {
    const int32_t stands_in = symmetry_->played()[static_cast<size_t>(symmetry_->place(hop.device))];
    return {number(stands_in, symmetry_->lane_on(hop.lane, stands_in)), hop.next};
  }
  if (!fabric_.has_pair_links()) return {number(hop.device, hop.lane), hop.next};
  const uint64_t pair = static_cast<uint64_t>(hop.device) << 32 | static_cast<uint32_t>(hop.next);
  const auto [it, is_new] = pairs_.try_emplace(pair, lane_count_);
  if (is_new) ++lane_count_;
  return {it->second, hop.next};
}

}  // namespace shardscope::inline scheduler
