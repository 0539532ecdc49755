// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/fabric.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardscope {

Result<Fabric> Fabric::make(const Mesh& mesh, const Hardware& hardware) {
  if (hardware.topology == Topology::two_level) {
    return invalid("topology two-level cannot be timed yet", hardware.name,
                   "use torus, line, full or switch");
  }
  Fabric f;
  f.topology_ = hardware.topology;
  f.devices_ = static_cast<int32_t>(mesh.device_count());
  f.lanes_.push_back({LaneKind::compute, -1, 0, "compute"});
  for (int a = 0; a < mesh.rank(); ++a) {
    const MeshAxis& axis = mesh.axes()[static_cast<size_t>(a)];
    f.sizes_.push_back(static_cast<int32_t>(axis.size));
    f.strides_.push_back(static_cast<int32_t>(mesh.stride(a)));
    f.wraps_.push_back(axis.wrap && hardware.topology != Topology::line);
    f.first_lane_.push_back(f.lane_count());
    if (f.all_pairs() || axis.size == 1) continue;
    f.lanes_.push_back({LaneKind::link, a, 1, axis.name + "+"});
    f.lanes_.push_back({LaneKind::link, a, -1, axis.name + "-"});
  }
  if (f.has_port()) f.lanes_.push_back({LaneKind::port, -1, 0, "port"});
  if (f.has_pair_links()) f.lanes_.push_back({LaneKind::link, -1, 0, "link"});
  f.lanes_.push_back({LaneKind::copy, -1, 0, "copy"});

  f.chip_of_.resize(static_cast<size_t>(f.devices_));
  f.device_of_.resize(static_cast<size_t>(f.devices_));
  for (int32_t d = 0; d < f.devices_; ++d) {
    const int64_t chip = mesh.chip_of(DeviceId(d));
    f.chip_of_[static_cast<size_t>(d)] = static_cast<int32_t>(chip);
    f.device_of_[static_cast<size_t>(chip)] = d;
    for (int a = 0; a < mesh.rank(); ++a) {
      f.coordinates_.push_back(static_cast<int32_t>(mesh.coordinate(DeviceId(d), a)));
    }
  }

  const auto missing = [&](const char* field) {
    return invalid(fmt::format("{} of {} is not published", field, hardware.name), "hardware",
                   fmt::format("give {} in a hardware file", field));
  };
  if (!hardware.link.latency_s) {
    f.link_error_ = missing("link.latency_s");
  } else if (!hardware.link.bytes_per_s) {
    f.link_error_ = missing("link.bytes_per_s");
  } else {
    f.latency_ = to_picoseconds(*hardware.link.latency_s);
    f.bytes_per_s_ = *hardware.link.bytes_per_s * hardware.link.efficiency;
    if (!f.all_pairs())
      f.bytes_per_s_ *= static_cast<double>(std::max<int64_t>(hardware.link.links_per_axis / 2, 1));
  }
  return f;
}

Hop Fabric::next_hop(int32_t from, int32_t to, int direction) const {
  if (all_pairs()) return {from, 1, to};
  const int32_t chip = chip_of_[static_cast<size_t>(from)];
  const int32_t goal = chip_of_[static_cast<size_t>(to)];
  const size_t axes = sizes_.size();
  for (size_t a = 0; a < axes; ++a) {
    const int32_t here = coordinates_[static_cast<size_t>(chip) * axes + a];
    const int32_t there = coordinates_[static_cast<size_t>(goal) * axes + a];
    if (here == there) continue;
    const int32_t size = sizes_[a];
    bool up = there > here;
    if (wraps_[a] && size > 2) {
      const int32_t ahead = up ? there - here : there - here + size;
      up = 2 * ahead < size || (2 * ahead == size && direction >= 0);
    }
    int32_t next = here + (up ? 1 : -1);
    if (next == size) next = 0;
    if (next < 0) next = size - 1;
    return {from, first_lane_[a] + (up ? 0 : 1),
            device_of_[static_cast<size_t>(chip + (next - here) * strides_[a])]};
  }
  CHECK(false, "no way from a device to itself", from);
  return {};
}

Cost Fabric::link_cost(int64_t bytes) const {
  Cost cost;
  cost.latency = latency_;
  cost.bandwidth = to_picoseconds(static_cast<double>(bytes) / bytes_per_s_);
  return cost;
}

}  // namespace shardscope
