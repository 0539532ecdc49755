// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/fabric.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "engine/base/text.h"

namespace shardscope::inline hardware {

Topology topology_of(const Hardware& hardware, int64_t chips) {
  const bool leaves = hardware.topology == Topology::switch_ && hardware.node_devices &&
                      hardware.network_bytes_per_s && chips > *hardware.node_devices;
  return leaves ? Topology::two_level : hardware.topology;
}

Result<Fabric> Fabric::make(const Mesh& mesh, const Hardware& hardware, const HardwareOverrides& overrides) {
  Fabric f;
  f.topology_ = topology_of(hardware, mesh.device_count());
  f.grid_ = ChipGrid(mesh, f.topology_ == Topology::line ? ChipGrid::Ends::open : ChipGrid::Ends::as_mesh);
  if (f.topology_ == Topology::two_level) {
    if (!hardware.node_devices) {
      return invalid(fmt::format("node.devices of {} is not published", hardware.name), "hardware",
                     "give [node] devices in a hardware file");
    }
    f.node_ = static_cast<int32_t>(std::min(*hardware.node_devices, mesh.device_count()));
  }
  f.level_slices_ = static_cast<int32_t>(hardware.link.level_slices);
  f.add_lanes(mesh);
  f.link_error_ = f.check_links(hardware);
  TRY_VOID(f.change_axes(mesh, overrides));
  TRY_VOID(f.slow_down(overrides));
  return f;
}

void Fabric::add_lanes(const Mesh& mesh) {
  lanes_.push_back({LaneKind::compute, -1, 0, "compute"});
  for (int a = 0; a < mesh.rank(); ++a) {
    const MeshAxis& axis = mesh.axes()[static_cast<size_t>(a)];
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
  if (node_ > 0 && node_ < devices()) {
    TRY(const double latency, published(hardware.network_latency_s, "network.latency_s"));
    TRY(const double bandwidth, published(hardware.network_bytes_per_s, "network.bytes_per_s"));
    classes_[1].latency = to_picoseconds(latency);
    classes_[1].bytes_per_s = bandwidth * hardware.network_efficiency.value_or(hardware.link.efficiency);
  }
  if (node_ > 0) own_network_ = classes_[1].bytes_per_s;
  if (node_ == 1) classes_[0] = classes_[1];
  own_ = {classes_[0].latency, classes_[0].bytes_per_s};
  return {};
}

Hop Fabric::next_hop(int32_t from, int32_t to, int direction) const {
  if (all_pairs()) {
    const bool leaves_node = node_ > 0 && chip_of(from) / node_ != chip_of(to) / node_;
    return {from, leaves_node ? 2 : 1, to};
  }
  const ChipLink link = faults_.empty() ? grid_.towards(chip_of(from), chip_of(to), direction)
                                        : faults_.towards(grid_, chip_of(from), chip_of(to), direction);
  return {from, first_lane_[link.axis] + (link.up ? 0 : 1), grid_.device_on(link.next)};
}

std::optional<int32_t> Fabric::neighbour(int32_t device, int axis, int direction) const {
  const auto link = grid_.link(chip_of(device), static_cast<size_t>(axis), direction > 0);
  return link ? std::optional(grid_.device_on(link->next)) : std::nullopt;
}

int32_t Fabric::link_class(const Hop& hop) const {
  if (node_ > 0) return hop.lane == 2 ? 1 : 0;
  const LinkFaults::Fault* fault =
      faults_.empty() ? nullptr : faults_.find(chip_of(hop.device), chip_of(hop.next));
  if (fault != nullptr && !fault->broken()) return fault->link_class;
  const int32_t axis = lanes_[static_cast<size_t>(hop.lane)].axis;
  return axis < 0 ? 0 : axis_class_[static_cast<size_t>(axis)];
}

LinkTime Fabric::link_time(int64_t bytes, int32_t link_class, const LinkPace* pace) const {
  const LinkClass& link = classes_[static_cast<size_t>(link_class)];
  const bool network = node_ > 0 && link_class == 1;
  const double paced = pace == nullptr ? 0 : network ? pace->network_bytes_per_s : pace->bytes_per_s;
  const bool measured = paced > 0 && std::isfinite(link.share);
  const double bytes_per_s = measured ? paced * link.share : link.bytes_per_s;
  LinkTime time;
  time.head.latency = time.passes.latency = measured && !network ? pace->latency : link.latency;
  time.passes.bandwidth = to_picoseconds(static_cast<double>(bytes) / bytes_per_s);
  time.held = time.passes;
  if (has_port()) time.held.latency = 0;
  return time;
}

LinkCosts Fabric::link_costs() const {
  LinkCosts costs;
  costs.latency_s = to_seconds(classes_[0].latency);
  costs.bytes_per_s = classes_[0].bytes_per_s;
  costs.port = has_port();
  costs.own = own_;
  costs.level_slices = level_slices_;
  if (node_ > 0) {
    costs.network_latency_s = to_seconds(classes_[1].latency);
    costs.network_bytes_per_s = classes_[1].bytes_per_s;
    costs.own_network_bytes_per_s = own_network_;
  }
  return costs;
}

namespace {

Result<void> check_chip(const Fabric& fabric, int64_t chip, const std::string& where) {
  if (chip >= 0 && chip < fabric.devices()) return {};
  return invalid(fmt::format("there is no chip {}, the mesh has 0 to {}", chip, fabric.devices() - 1), where);
}

// Where broken links leave a chip that no message reaches.
Result<void> check_reach(const ChipGrid& grid, const LinkFaults& faults) {
  const LinkFaults::Fault& broken = *faults.first_broken();
  const std::vector<int32_t> distance = faults.distances_to(grid, broken.a);
  const auto cut_off = std::find(distance.begin(), distance.end(), -1);
  if (cut_off == distance.end()) return {};
  return invalid(
      fmt::format("chip {} cannot reach chip {}: the link {}-{} is broken and no way leads round it",
                  cut_off - distance.begin(), broken.a, broken.a, broken.b),
      "slow link", "close the axis to a ring with --wrap, or give the link a share of its bandwidth");
}

}  // namespace

Result<void> Fabric::slow_down(const HardwareOverrides& overrides) {
  for (const DeviceOverride& it : overrides.devices) {
    TRY_VOID(check_chip(*this, it.chip, "slow device " + text(it)));
    if (!(it.speed > 0)) return invalid("a device needs a speed of more than 0", "slow device " + text(it));
    speeds_.resize(static_cast<size_t>(devices()), 1);
    speeds_[static_cast<size_t>(it.chip)] = it.speed;
  }
  for (const LinkOverride& it : overrides.links) {
    const std::string where = "slow link " + text(it);
    TRY_VOID(check_chip(*this, it.a, where));
    TRY_VOID(check_chip(*this, it.b, where));
    if (has_port()) {
      return invalid("chips of a switch have a port each and no links between them", where,
                     "slow the device, or use a torus, line or full topology");
    }
    if (!(it.speed >= 0)) return invalid("a link's share of its bandwidth is 0 or more", where);
    const auto a = static_cast<int32_t>(it.a), b = static_cast<int32_t>(it.b);
    const std::vector<ChipLink> links = LinkFaults().whole_links(grid_, a);
    const bool linked = has_pair_links() || std::any_of(links.begin(), links.end(),
                                                        [&](const ChipLink& l) { return l.next == b; });
    if (a == b || !linked) {
      return invalid(fmt::format("chips {} and {} have no link", a, b), where,
                     "name two chips that are neighbours on an axis");
    }
    faults_.set({a, b, it.speed == 0 ? LinkFaults::kBroken : link_classes()});
    const auto along = std::ranges::find(links, b, &ChipLink::next);
    const LinkClass normal =
        classes_[static_cast<size_t>(along == links.end() ? 0 : axis_class_[along->axis])];
    if (it.speed > 0)
      classes_.push_back({normal.latency, normal.bytes_per_s * it.speed, normal.share * it.speed});
  }
  const LinkFaults::Fault* broken = faults_.first_broken();
  if (broken == nullptr || !link_error_.ok()) return {};
  if (has_pair_links()) {
    link_error_ = invalid(
        fmt::format("the link {}-{} is broken and pairs of a full mesh have no other", broken->a, broken->b),
        "slow link", "mend it, or give it a share of its bandwidth");
  } else {
    link_error_ = check_reach(grid_, faults_);
  }
  return {};
}

// Axes of which devices have links of their own have a class each; other machines have their lanes' classes.
Result<void> Fabric::change_axes(const Mesh& mesh, const HardwareOverrides& overrides) {
  axis_class_.assign(static_cast<size_t>(mesh.rank()), 0);
  const std::vector<LinkClass> normal = classes_;  // of several words about one axis the last counts
  for (const AxisOverride& it : overrides.axes) {
    std::vector<std::string> names;
    int32_t number = -1;
    for (const Lane& lane : lanes_) {
      if (lane.kind != LaneKind::link && lane.kind != LaneKind::port) continue;
      const std::string& name = lane.axis < 0 ? lane.name : mesh.axes()[static_cast<size_t>(lane.axis)].name;
      if (names.empty() || names.back() != name) names.push_back(name);
      if (name == it.axis) number = lane.axis < 0 ? static_cast<int32_t>(names.size()) - 1 : lane.axis;
    }
    const std::string where = "link " + text(it);
    if (number < 0) {
      return invalid(fmt::format("there are no links called '{}'", it.axis), where,
                     names.empty() ? "the mesh has no links" : "the links are " + join(names, ", "));
    }
    if (!(it.factor >= 0)) return invalid("a factor is 0 or more", where);
    if (it.factor == 0)
      link_error_ = invalid("without these links chips cannot reach each other", where, "give them a speed");
    if (!link_error_.ok()) continue;
    auto changed = static_cast<size_t>(number);
    if (!all_pairs()) {
      axis_class_[changed] = link_classes();
      changed = classes_.size();
      classes_.push_back({});
    }
    const LinkClass& before = normal[all_pairs() ? changed : 0];
    if (std::isinf(it.factor)) {
      constexpr double kInfinite = std::numeric_limits<double>::infinity();
      classes_[changed] = {0, kInfinite, kInfinite};
    } else {
      classes_[changed] = {before.latency, before.bytes_per_s * it.factor, before.share * it.factor};
    }
  }
  return {};
}

Fabric torus_of(const Mesh& mesh) {
  return Fabric::make(mesh, Hardware()).value();
}

}  // namespace shardscope::inline hardware
