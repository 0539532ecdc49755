// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/chip_grid.h"

#include "engine/base/check.h"
#include "engine/mesh/axis_way.h"

namespace shardscope::inline hardware {

ChipGrid::ChipGrid(const Mesh& mesh, Ends ends) {
  const auto devices = static_cast<int32_t>(mesh.device_count());
  for (int a = 0; a < mesh.rank(); ++a) {
    axes_.push_back({static_cast<int32_t>(mesh.axis_size(a)), static_cast<int32_t>(mesh.stride(a)),
                     ends == Ends::as_mesh && mesh.axes()[static_cast<size_t>(a)].wrap});
  }
  device_on_.resize(static_cast<size_t>(devices));
  for (int32_t d = 0; d < devices; ++d) {
    chip_of_.push_back(static_cast<int32_t>(mesh.chip_of(DeviceId(d))));
    device_on_[static_cast<size_t>(chip_of_.back())] = d;
    for (int a = 0; a < mesh.rank(); ++a)
      coordinates_.push_back(static_cast<int32_t>(mesh.coordinate(DeviceId(d), a)));
  }
}

ChipLink ChipGrid::step(int32_t chip, size_t a, bool up) const {
  const int32_t here = place(chip, a);
  int32_t next = here + (up ? 1 : -1);
  const Axis& axis = axes_[a];
  if (next == axis.size) next = 0;
  if (next < 0) next = axis.size - 1;
  return {a, up, chip + (next - here) * axis.stride};
}

std::optional<ChipLink> ChipGrid::link(int32_t chip, size_t a, bool up) const {
  const bool at_end = place(chip, a) == (up ? axes_[a].size - 1 : 0);
  if (at_end && !closes(axes_[a].size, axes_[a].wraps)) return std::nullopt;
  return step(chip, a, up);
}

ChipLink ChipGrid::towards(int32_t chip, int32_t goal, int direction) const {
  for (size_t a = 0; a < axes(); ++a) {
    const int32_t here = place(chip, a);
    const int32_t there = place(goal, a);
    const Axis& axis = axes_[a];
    if (here != there) return step(chip, a, axis_way(here, there, axis.size, axis.wraps, direction).up);
  }
  CHECK(false, "no way from a chip to itself", chip);
  return {};
}

}  // namespace shardscope::inline hardware
