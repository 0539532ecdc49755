// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/link_faults.h"

#include <algorithm>

#include "engine/base/check.h"

namespace shardscope::inline hardware {

namespace {

bool joins(const LinkFaults::Fault& fault, int32_t a, int32_t b) {
  return std::minmax(fault.a, fault.b) == std::minmax(a, b);
}

bool straight_way_is_whole(const LinkFaults& faults, const ChipGrid& grid, int32_t chip, int32_t goal,
                           int direction) {
  while (chip != goal) {
    const int32_t next = grid.towards(chip, goal, direction).next;
    const LinkFaults::Fault* fault = faults.find(chip, next);
    if (fault != nullptr && fault->broken()) return false;
    chip = next;
  }
  return true;
}

}  // namespace

void LinkFaults::set(const Fault& fault) {
  std::erase_if(faults_, [&](const Fault& other) { return joins(other, fault.a, fault.b); });
  faults_.push_back(fault);
}

const LinkFaults::Fault* LinkFaults::find(int32_t chip, int32_t other) const {
  const auto found =
      std::find_if(faults_.begin(), faults_.end(), [&](const Fault& f) { return joins(f, chip, other); });
  return found == faults_.end() ? nullptr : &*found;
}

const LinkFaults::Fault* LinkFaults::first_broken() const {
  const auto found = std::find_if(faults_.begin(), faults_.end(), [](const Fault& f) { return f.broken(); });
  return found == faults_.end() ? nullptr : &*found;
}

std::vector<ChipLink> LinkFaults::whole_links(const ChipGrid& grid, int32_t chip) const {
  std::vector<ChipLink> out;
  for (size_t a = 0; a < grid.axes(); ++a) {
    if (grid.size(a) == 1) continue;
    for (const bool up : {true, false}) {
      const auto link = grid.link(chip, a, up);
      if (!link) continue;
      const Fault* fault = find(chip, link->next);
      if (fault == nullptr || !fault->broken()) out.push_back(*link);
    }
  }
  return out;
}

std::vector<int32_t> LinkFaults::distances_to(const ChipGrid& grid, int32_t goal) const {
  std::vector<int32_t> distance(static_cast<size_t>(grid.chips()), -1);
  std::vector<int32_t> reached = {goal};
  distance[static_cast<size_t>(goal)] = 0;
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const ChipLink& link : whole_links(grid, reached[i])) {
      int32_t& d = distance[static_cast<size_t>(link.next)];
      if (d >= 0) continue;
      d = distance[static_cast<size_t>(reached[i])] + 1;
      reached.push_back(link.next);
    }
  }
  return distance;
}

// A message leaves the straight way only towards its goal over whole links, so it comes nearer with each hop
// and, once the rest of the straight way is whole, stays on it.
ChipLink LinkFaults::towards(const ChipGrid& grid, int32_t chip, int32_t goal, int direction) const {
  if (first_broken() == nullptr || straight_way_is_whole(*this, grid, chip, goal, direction))
    return grid.towards(chip, goal, direction);
  const std::vector<int32_t> distance = distances_to(grid, goal);
  for (const ChipLink& link : whole_links(grid, chip)) {
    if (distance[static_cast<size_t>(link.next)] + 1 == distance[static_cast<size_t>(chip)]) return link;
  }
  CHECK(false, "no way round broken links", chip, goal);
  return {};
}

}  // namespace shardscope::inline hardware
