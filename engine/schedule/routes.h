// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/hardware/fabric.h"
#include "engine/plan/symmetry.h"

namespace shardscope::inline scheduler {

// A message's next link: the number of its lane among all lanes, and the device at its other end.
struct Route {
  int32_t lane = 0;
  int32_t next = 0;
};

// Finds the ways of messages. Lanes are numbered by device and lane; the links of a full mesh follow, in the
// order of their first use. A device mostly sends to the same neighbour, so the last answer is kept.
class Routes {
 public:
  // `symmetry`: all lanes are those of the devices played, which stand for the others; ways still lead from
  // device to device.
  Routes(const Fabric& fabric, const Symmetry* symmetry);

  // From `from` towards `to` (!= from), as Fabric::next_hop says.
  Route find(int32_t from, int32_t to, int direction) {
    Known& known = known_[2 * static_cast<size_t>(from) + (direction < 0 ? 1 : 0)];
    if (known.to != to) known = {to, look_up(from, to, direction)};
    return known.route;
  }
  int32_t lane_count() const { return lane_count_; }
  // The number of a device's own lane, and which of the device's lanes a number is.
  int32_t number(int32_t device, int32_t lane) const {
    return (symmetry_ == nullptr ? device : symmetry_->place(device)) * fabric_.lane_count() + lane;
  }
  int32_t lane_of(int32_t device, int32_t numbered) const {
    return fabric_.has_pair_links() ? 1 : numbered - number(device, 0);
  }

 private:
  struct Known {
    int32_t to = -1;
    Route route;
  };
  Route look_up(int32_t from, int32_t to, int direction);

  const Fabric& fabric_;
  const Symmetry* symmetry_;
  int32_t lane_count_;
  std::vector<Known> known_;                     // by device and sign of the direction
  std::unordered_map<uint64_t, int32_t> pairs_;  // of a full mesh: (source, target) -> lane
};

}  // namespace shardscope::inline scheduler
