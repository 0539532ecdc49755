// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/fabric.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardscope {

Result<Fabric> Fabric::make(const Mesh& mesh, const Hardware& hardware, const HardwareOverrides& overrides) {
  Fabric f;
  f.topology_ = hardware.topology;
  f.devices_ = static_cast<int32_t>(mesh.device_count());
  if (hardware.topology == Topology::two_level) {
    if (!hardware.node_devices) {
      return invalid(fmt::format("node.devices of {} is not published", hardware.name), "hardware",
                     "give [node] devices in a hardware file");
    }
    f.node_ = static_cast<int32_t>(std::min(*hardware.node_devices, mesh.device_count()));
  }
  f.add_lanes(mesh);
  f.place_chips(mesh);
  f.link_error_ = f.check_links(hardware);
  TRY_VOID(f.apply(overrides));
  return f;
}

void Fabric::add_lanes(const Mesh& mesh) {
  lanes_.push_back({LaneKind::compute, -1, 0, "compute"});
  for (int a = 0; a < mesh.rank(); ++a) {
    const MeshAxis& axis = mesh.axes()[static_cast<size_t>(a)];
    sizes_.push_back(static_cast<int32_t>(axis.size));
    strides_.push_back(static_cast<int32_t>(mesh.stride(a)));
    wraps_.push_back(axis.wrap && topology_ != Topology::line);
    first_lane_.push_back(lane_count());
    if (all_pairs() || axis.size == 1) continue;
    lanes_.push_back({LaneKind::link, a, 1, axis.name + "+"});
    lanes_.push_back({LaneKind::link, a, -1, axis.name + "-"});
  }
  if (has_port()) lanes_.push_back({LaneKind::port, -1, 0, "port"});
  if (node_ > 0) lanes_.push_back({LaneKind::port, -1, 0, "network"});
  if (has_pair_links()) lanes_.push_back({LaneKind::link, -1, 0, "link"});
  lanes_.push_back({LaneKind::copy, -1, 0, "copy"});
}

void Fabric::place_chips(const Mesh& mesh) {
  chip_of_.resize(static_cast<size_t>(devices_));
  device_of_.resize(static_cast<size_t>(devices_));
  for (int32_t d = 0; d < devices_; ++d) {
    const int32_t chip = static_cast<int32_t>(mesh.chip_of(DeviceId(d)));
    chip_of_[static_cast<size_t>(d)] = chip;
    device_of_[static_cast<size_t>(chip)] = d;
    for (int a = 0; a < mesh.rank(); ++a) {
      coordinates_.push_back(static_cast<int32_t>(mesh.coordinate(DeviceId(d), a)));
    }
  }
}

Result<void> Fabric::check_links(const Hardware& hardware) {
  classes_.resize(node_ > 0 ? 2 : 1);
  const auto published = [&](const std::optional<double>& value, const char* field) -> Result<double> {
    if (value) return *value;
    return invalid(fmt::format("{} of {} is not published", field, hardware.name), "hardware",
                   fmt::format("give {} in a hardware file", field));
  };
  // Devices that are nodes of their own use no links within one.
  if (node_ != 1) {
    TRY(const double latency, published(hardware.link.latency_s, "link.latency_s"));
    TRY(const double bandwidth, published(hardware.link.bytes_per_s, "link.bytes_per_s"));
    classes_[0].latency = to_picoseconds(latency);
    classes_[0].bytes_per_s = bandwidth * hardware.link.efficiency;
    if (!all_pairs())
      classes_[0].bytes_per_s *= static_cast<double>(std::max<int64_t>(hardware.link.links_per_axis / 2, 1));
  }
  if (node_ > 0 && node_ < devices_) {
    TRY(const double latency, published(hardware.network_latency_s, "network.latency_s"));
    TRY(const double bandwidth, published(hardware.network_bytes_per_s, "network.bytes_per_s"));
    classes_[1].latency = to_picoseconds(latency);
    classes_[1].bytes_per_s = bandwidth * hardware.link.efficiency;
  }
  if (node_ == 1) classes_[0] = classes_[1];
  return {};
}

Hop Fabric::next_hop(int32_t from, int32_t to, int direction) const {
  if (all_pairs()) {
    const bool leaves_node = node_ > 0 && chip_of(from) / node_ != chip_of(to) / node_;
    return {from, leaves_node ? 2 : 1, to};
  }
  const ChipHop hop = chip_hop(chip_of(from), chip_of(to), direction);
  return {from, hop.lane, device_of_[static_cast<size_t>(hop.next)]};
}

Fabric::ChipHop Fabric::axis_hop(int32_t chip, size_t a, bool up) const {
  const int32_t here = coordinates_[static_cast<size_t>(chip) * sizes_.size() + a];
  int32_t next = here + (up ? 1 : -1);
  if (next == sizes_[a]) next = 0;
  if (next < 0) next = sizes_[a] - 1;
  return {first_lane_[a] + (up ? 0 : 1), chip + (next - here) * strides_[a]};
}

Fabric::ChipHop Fabric::straight_hop(int32_t chip, int32_t goal, int direction) const {
  const size_t axes = sizes_.size();
  for (size_t a = 0; a < axes; ++a) {
    const int32_t here = coordinates_[static_cast<size_t>(chip) * axes + a];
    const int32_t there = coordinates_[static_cast<size_t>(goal) * axes + a];
    if (here == there) continue;
    return axis_hop(chip, a, axis_way(here, there, sizes_[a], wraps_[a], direction).up);
  }
  CHECK(false, "no way from a device to itself", chip);
  return {};
}

std::optional<int32_t> Fabric::neighbour(int32_t device, int axis, int direction) const {
  const auto a = static_cast<size_t>(axis);
  const int32_t chip = chip_of(device);
  const int32_t next = coordinates_[static_cast<size_t>(chip) * sizes_.size() + a] + direction;
  if ((next < 0 || next >= sizes_[a]) && !closes(sizes_[a], wraps_[a])) return std::nullopt;
  return device_of_[static_cast<size_t>(axis_hop(chip, a, direction > 0).next)];
}

LinkTime Fabric::link_time(int64_t bytes, int32_t link_class) const {
  const LinkClass& link = classes_[static_cast<size_t>(link_class)];
  LinkTime time;
  time.head.latency = time.passes.latency = link.latency;
  time.passes.bandwidth = to_picoseconds(static_cast<double>(bytes) / link.bytes_per_s);
  time.held = time.passes;
  if (has_port()) time.held.latency = 0;
  return time;
}

LinkCosts Fabric::link_costs() const {
  LinkCosts costs;
  costs.latency_s = to_seconds(classes_[0].latency);
  costs.bytes_per_s = classes_[0].bytes_per_s;
  costs.port = has_port();
  if (node_ > 0) {
    costs.network_latency_s = to_seconds(classes_[1].latency);
    costs.network_bytes_per_s = classes_[1].bytes_per_s;
  }
  return costs;
}

double Fabric::bytes_into_device_per_s() const {
  const double link = classes_[0].bytes_per_s;
  if (has_port()) return link;
  if (has_pair_links()) return link * (devices_ - 1);
  int links = 0;
  for (size_t a = 0; a < sizes_.size(); ++a) links += directions(static_cast<int>(a));
  return link * links;
}

}  // namespace shardscope
