// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/nodes.h"

#include <algorithm>

namespace shardscope::inline hardware {

int32_t node_of(const Fabric& fabric, int32_t device) {
  return fabric.node() == 0 ? 0 : fabric.chip_of(device) / fabric.node();
}

bool on_one_node(const Fabric& fabric, const std::vector<int32_t>& devices) {
  return std::ranges::all_of(
      devices, [&](int32_t device) { return node_of(fabric, device) == node_of(fabric, devices.front()); });
}

int32_t members_per_node(const Fabric& fabric, const std::vector<int32_t>& members) {
  const auto node = [&](size_t rank) { return node_of(fabric, members[rank]); };
  size_t per = 1;
  while (per < members.size() && node(per) == node(0)) ++per;
  if (per >= members.size() || members.size() % per != 0) return 0;
  for (size_t r = 0; r < members.size(); ++r) {
    if (node(r) != node(r / per * per) || (r >= per && r % per == 0 && node(r) == node(r - 1))) return 0;
  }
  return static_cast<int32_t>(per);
}

}  // namespace shardscope::inline hardware
