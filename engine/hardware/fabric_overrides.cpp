// SPDX-License-Identifier: Apache-2.0
// Slow chips, slow and broken links, and the ways round them.
#include <algorithm>
#include <fmt/format.h>

#include "engine/hardware/fabric.h"

namespace shardscope {

Result<void> Fabric::apply(const HardwareOverrides& overrides) {
  const auto check_chip = [&](int64_t chip, const std::string& where) -> Result<void> {
    if (chip >= 0 && chip < devices_) return {};
    return invalid(fmt::format("there is no chip {}, the mesh has 0 to {}", chip, devices_ - 1), where);
  };
  for (const DeviceOverride& it : overrides.devices) {
    TRY_VOID(check_chip(it.chip, "slow device " + text(it)));
    if (!(it.speed > 0)) return invalid("a device needs a speed of more than 0", "slow device " + text(it));
    speeds_.resize(static_cast<size_t>(devices_), 1);
    speeds_[static_cast<size_t>(it.chip)] = it.speed;
  }
  for (const LinkOverride& it : overrides.links) {
    const std::string where = "slow link " + text(it);
    TRY_VOID(check_chip(it.a, where));
    TRY_VOID(check_chip(it.b, where));
    if (has_port()) {
      return invalid("chips of a switch have a port each and no links between them", where,
                     "slow the device, or use a torus, line or full topology");
    }
    if (!(it.speed >= 0)) return invalid("a link's share of its bandwidth is 0 or more", where);
    const int32_t a = static_cast<int32_t>(it.a);
    const int32_t b = static_cast<int32_t>(it.b);
    if (!neighbours(a, b)) {
      return invalid(fmt::format("chips {} and {} have no link", a, b), where,
                     "name two chips that are neighbours on an axis");
    }
    std::erase_if(slow_links_, [&](const SlowLink& s) {
      return std::minmax(s.a, s.b) == std::minmax(a, b);  // the last word counts
    });
    if (it.speed == 0) {
      slow_links_.push_back({a, b, -1});
      continue;
    }
    slow_links_.push_back({a, b, link_classes()});
    classes_.push_back({classes_[0].latency, classes_[0].bytes_per_s * it.speed});
  }
  const auto broken = std::find_if(slow_links_.begin(), slow_links_.end(),
                                   [](const SlowLink& s) { return s.link_class < 0; });
  has_broken_ = broken != slow_links_.end();
  if (!has_broken_ || !link_error_.ok()) return {};
  if (has_pair_links()) {
    link_error_ = invalid(
        fmt::format("the link {}-{} is broken and pairs of a full mesh have no other", broken->a, broken->b),
        "slow link", "mend it, or give it a share of its bandwidth");
    return {};
  }
  const std::vector<int32_t> distance = distances_to(broken->a);
  const auto cut_off = std::find(distance.begin(), distance.end(), -1);
  if (cut_off != distance.end()) {
    link_error_ = invalid(
        fmt::format("chip {} cannot reach chip {}: the link {}-{} is broken and no way leads round it",
                    cut_off - distance.begin(), broken->a, broken->a, broken->b),
        "slow link", "close the axis to a ring with --wrap, or give the link a share of its bandwidth");
  }
  return {};
}

bool Fabric::neighbours(int32_t a, int32_t b) const {
  if (a == b) return false;
  if (has_pair_links()) return true;
  for (const ChipHop& hop : whole_links(a)) {
    if (hop.next == b) return true;
  }
  return slow_link(a, b) != nullptr;
}

const Fabric::SlowLink* Fabric::slow_link(int32_t chip, int32_t other) const {
  for (const SlowLink& s : slow_links_) {
    if ((s.a == chip && s.b == other) || (s.a == other && s.b == chip)) return &s;
  }
  return nullptr;
}

int32_t Fabric::link_class(const Hop& hop) const {
  if (node_ > 0) return hop.lane == 2 ? 1 : 0;
  if (slow_links_.empty()) return 0;
  const SlowLink* slow = slow_link(chip_of(hop.device), chip_of(hop.next));
  return slow == nullptr ? 0 : std::max(slow->link_class, 0);
}

// The links of a chip that are not broken, in the order of their lanes. An axis of two has one each way.
std::vector<Fabric::ChipHop> Fabric::whole_links(int32_t chip) const {
  std::vector<ChipHop> out;
  for (size_t a = 0; a < sizes_.size(); ++a) {
    if (sizes_[a] == 1) continue;
    const int32_t here = coordinates_[static_cast<size_t>(chip) * sizes_.size() + a];
    for (const bool up : {true, false}) {
      if (!closes(sizes_[a], wraps_[a]) && (up ? here + 1 == sizes_[a] : here == 0)) continue;
      const ChipHop hop = axis_hop(chip, a, up);
      const SlowLink* slow = slow_link(chip, hop.next);
      if (slow == nullptr || slow->link_class >= 0) out.push_back(hop);
    }
  }
  return out;
}

// Links to `goal` over whole ones, by chip; -1: no way.
std::vector<int32_t> Fabric::distances_to(int32_t goal) const {
  std::vector<int32_t> distance(static_cast<size_t>(devices_), -1);
  std::vector<int32_t> reached = {goal};
  distance[static_cast<size_t>(goal)] = 0;
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const ChipHop& hop : whole_links(reached[i])) {
      int32_t& d = distance[static_cast<size_t>(hop.next)];
      if (d >= 0) continue;
      d = distance[static_cast<size_t>(reached[i])] + 1;
      reached.push_back(hop.next);
    }
  }
  return distance;
}

bool Fabric::straight_way_is_whole(int32_t chip, int32_t goal, int direction) const {
  while (chip != goal) {
    const ChipHop hop = straight_hop(chip, goal, direction);
    const SlowLink* slow = slow_link(chip, hop.next);
    if (slow != nullptr && slow->link_class < 0) return false;
    chip = hop.next;
  }
  return true;
}

// A message leaves the straight way only towards its goal over whole links, so it comes nearer with each hop
// and, once the rest of the straight way is whole, stays on it.
Fabric::ChipHop Fabric::chip_hop(int32_t chip, int32_t goal, int direction) const {
  if (!has_broken_ || straight_way_is_whole(chip, goal, direction)) {
    return straight_hop(chip, goal, direction);
  }
  const std::vector<int32_t> distance = distances_to(goal);
  for (const ChipHop& hop : whole_links(chip)) {
    if (distance[static_cast<size_t>(hop.next)] + 1 == distance[static_cast<size_t>(chip)]) return hop;
  }
  CHECK(false, "no way round broken links", chip, goal);
  return {};
}

}  // namespace shardscope
