// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/link_ends.h"

namespace shardscope::inline hardware {

LinkEnds::LinkEnds(const Mesh& mesh) : mesh_(mesh), on_chip_(static_cast<size_t>(mesh.device_count())) {
  for (int64_t d = 0; d < mesh.device_count(); ++d)
    on_chip_[static_cast<size_t>(mesh.chip_of(DeviceId(d)))] = static_cast<int32_t>(d);
}

int32_t LinkEnds::beside(int32_t device, const Lane& lane) const {
  const int64_t chip = mesh_.chip_of(DeviceId(device));
  const int64_t size = mesh_.axis_size(lane.axis);
  const int64_t stride = mesh_.stride(lane.axis);
  const int64_t place = chip / stride % size;
  const int64_t next = (place + lane.direction + size) % size;
  return on_chip_[static_cast<size_t>(chip + (next - place) * stride)];
}

}  // namespace shardscope::inline hardware
