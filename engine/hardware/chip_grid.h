// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/mesh/mesh.h"

namespace shardscope::inline hardware {

// A link of a chip along an axis, and the chip at its other end.
struct ChipLink {
  size_t axis = 0;
  bool up = true;
  int32_t next = 0;
};

// The chips of a mesh in the rows of its axes, and the links along them. Devices run on the chips that
// Mesh::chip_of says.
class ChipGrid {
 public:
  enum class Ends { as_mesh, open };  // open: no axis closes, whatever the mesh says
  ChipGrid() = default;
  ChipGrid(const Mesh& mesh, Ends ends);

  int32_t chips() const { return static_cast<int32_t>(chip_of_.size()); }
  size_t axes() const { return axes_.size(); }
  int32_t size(size_t axis) const { return axes_[axis].size; }
  bool wraps(size_t axis) const { return axes_[axis].wraps; }
  int32_t chip_of(int32_t device) const { return chip_of_[static_cast<size_t>(device)]; }
  int32_t device_on(int32_t chip) const { return device_on_[static_cast<size_t>(chip)]; }
  // The link along an axis; none at the end of one that does not close.
  std::optional<ChipLink> link(int32_t chip, size_t axis, bool up) const;
  // The first link of the way to `goal` (!= chip): axis by axis, each the shorter way round (axis_way).
  ChipLink towards(int32_t chip, int32_t goal, int direction) const;

 private:
  struct Axis {
    int32_t size = 1, stride = 1;
    bool wraps = false;
  };
  int32_t place(int32_t chip, size_t axis) const {
    return coordinates_[static_cast<size_t>(chip) * axes() + axis];
  }
  ChipLink step(int32_t chip, size_t axis, bool up) const;

  std::vector<int32_t> chip_of_, device_on_;
  std::vector<int32_t> coordinates_;  // [chip · axes + axis]
  std::vector<Axis> axes_;
};

}  // namespace shardscope::inline hardware
