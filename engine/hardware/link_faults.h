// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/hardware/chip_grid.h"

namespace shardscope::inline hardware {

// The links of a machine that are slow or broken, and the ways round broken ones.
class LinkFaults {
 public:
  struct Fault {
    int32_t a = 0, b = 0;    // chips
    int32_t link_class = 0;  // whose speed it has; kBroken
    bool broken() const { return link_class < 0; }
  };
  static constexpr int32_t kBroken = -1;

  void set(const Fault& fault);  // the last word about a link counts
  bool empty() const { return faults_.empty(); }
  const Fault* find(int32_t chip, int32_t other) const;
  const Fault* first_broken() const;

  // The links of a chip that are not broken, in the order of the axes, up before down.
  std::vector<ChipLink> whole_links(const ChipGrid& grid, int32_t chip) const;
  // Whole links to `goal`, by chip; -1: no way.
  std::vector<int32_t> distances_to(const ChipGrid& grid, int32_t goal) const;
  // The first link of the way to `goal` (!= chip): the grid's where that is whole, else that of a shortest
  // way over whole links.
  ChipLink towards(const ChipGrid& grid, int32_t chip, int32_t goal, int direction) const;

 private:
  std::vector<Fault> faults_;
};

}  // namespace shardscope::inline hardware
