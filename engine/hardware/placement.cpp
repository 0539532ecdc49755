// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/placement.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/hardware/fabric.h"

namespace shardscope::inline hardware {
namespace {

// Whether a step along the axis always ends on the node that it began on.
bool stays_in_node(const Mesh& mesh, int axis, int64_t node) {
  for (int32_t d = 0; d < mesh.device_count(); ++d) {
    const DeviceId device(d), first(d - mesh.coordinate(device, axis) * mesh.stride(axis));
    if (mesh.chip_of(device) / node != mesh.chip_of(first) / node) return false;
  }
  return true;
}

// The axes from the farthest to the nearest, and of how many devices those behind the network are.
struct AxisOrder {
  std::vector<int> axes;
  int64_t inside = 1, near = 1;  // devices that no axis on the network joins; that axes within a node join
};

AxisOrder order_of(const Mesh& mesh, const AxisPlacement& placement) {
  std::vector<int> far, free, near;
  AxisOrder out;
  for (int a = 0; a < mesh.rank(); ++a) {
    const auto said = placement.axes.find(mesh.axes()[static_cast<size_t>(a)].name);
    const bool network = said != placement.axes.end() && said->second == AxisPlace::network;
    const bool node = said != placement.axes.end() && !network;
    (network ? far : node ? near : free).push_back(a);
    if (!network) out.inside *= mesh.axis_size(a);
    if (node) out.near *= mesh.axis_size(a);
  }
  out.axes = far;
  out.axes.insert(out.axes.end(), free.begin(), free.end());
  out.axes.insert(out.axes.end(), near.begin(), near.end());
  return out;
}

std::vector<int32_t> chips_by(const Mesh& mesh, const std::vector<int>& axes) {
  std::vector<int32_t> out;
  for (int32_t d = 0; d < mesh.device_count(); ++d) {
    int64_t chip = 0;
    for (const int axis : axes) chip = chip * mesh.axis_size(axis) + mesh.coordinate(DeviceId(d), axis);
    out.push_back(static_cast<int32_t>(chip));
  }
  return out;
}

// The largest number of chips that nodes of at most `most` can all have, with the axes within a node whole.
int64_t node_size(const AxisOrder& order, int64_t most) {
  int64_t out = order.near;
  for (int64_t size = order.near; size <= std::min(most, order.inside); size += order.near)
    if (order.inside % size == 0) out = size;
  return out;
}

Result<int64_t> published_node(const Hardware& hardware) {
  const bool joined = hardware.topology == Topology::switch_ || hardware.topology == Topology::two_level;
  if (!joined)
    return invalid(fmt::format("the chips of {} are a {}, without nodes and a network between them",
                               hardware.name, name(hardware.topology)),
                   "--place", "choose a chip of GPU nodes, or leave it out");
  if (!hardware.node_devices || !hardware.network_bytes_per_s)
    return invalid(fmt::format("{} of {} is not published",
                               hardware.node_devices ? "network.bytes_per_s" : "node.devices", hardware.name),
                   "--place", "give it in a hardware file");
  return *hardware.node_devices;
}

}  // namespace

const char* name(AxisPlace place) {
  return place == AxisPlace::node ? "node" : "network";
}

Result<AxisPlacement> parse_placement(std::string_view text) {
  AxisPlacement out;
  if (trim(text).empty()) return out;
  for (const std::string& part : split(trim(text), ',')) {
    const size_t equals = std::min(part.find('='), part.size());
    const std::string axis(trim(std::string_view(part).substr(0, equals)));
    const std::string_view word = trim(std::string_view(part).substr(std::min(equals + 1, part.size())));
    const auto place = std::ranges::find_if(kAxisPlaces, [&](AxisPlace each) { return word == name(each); });
    if (axis.empty() || place == kAxisPlaces.end())
      return invalid(fmt::format("expected an axis and where it lies, got '{}'", trim(part)), "",
                     "write axis=network or axis=node, as in row=network,col=node");
    if (!out.axes.emplace(axis, *place).second) return invalid(fmt::format("axis '{}' is there twice", axis));
  }
  return out;
}

std::string text(const AxisPlacement& placement) {
  std::vector<std::string> parts;
  for (const auto& [axis, place] : placement.axes) parts.push_back(fmt::format("{}={}", axis, name(place)));
  return join(parts, ",");
}

Result<PlacedMesh> placed(Mesh mesh, Hardware hardware, const AxisPlacement& placement) {
  if (placement.empty()) return PlacedMesh{std::move(mesh), std::move(hardware)};
  for (const auto& [axis, place] : placement.axes)
    if (!mesh.axis_index(axis))
      return invalid(fmt::format("unknown mesh axis '{}'", axis), "--place", "use axes of " + mesh.text());
  if (!mesh.device_order().empty())
    return invalid("the mesh has an order of its devices already", "--place",
                   "say where axes lie or in which order devices are, not both");
  TRY(const int64_t most, published_node(hardware));
  const AxisOrder order = order_of(mesh, placement);
  if (order.near > most)
    return invalid(fmt::format("the axes within a node have {} devices, a node of {} has {}", order.near,
                               hardware.name, most),
                   "--place", "put fewer axes into a node");
  PlacedMesh out{{}, std::move(hardware)};
  if (mesh.device_count() > order.inside || mesh.device_count() > most)
    out.hardware.node_devices = node_size(order, most);
  TRY(out.mesh, Mesh::make(mesh.axes(), chips_by(mesh, order.axes)));
  return out;
}

AxisPlaces axis_places(const Mesh& mesh, const Hardware& hardware) {
  const int64_t chips = mesh.device_count(), node = hardware.node_devices.value_or(chips);
  AxisPlaces out;
  if (topology_of(hardware, chips) != Topology::two_level || node >= chips) return out;
  out.nodes = ceil_div(chips, node);
  out.node = node;
  out.last = chips - (out.nodes - 1) * node;
  for (int a = 0; a < mesh.rank(); ++a) {
    if (mesh.axis_size(a) > 1)
      (stays_in_node(mesh, a, node) ? out.within : out.leaving)
          .push_back(mesh.axes()[static_cast<size_t>(a)].name);
  }
  return out;
}

std::string words_of(const AxisPlaces& places) {
  std::string out;
  if (!places.within.empty())
    out += fmt::format("{} {} within a node, ", join(places.within, ", "),
                       places.within.size() == 1 ? "stays" : "stay");
  return out + fmt::format("{} {} over the network", join(places.leaving, ", "),
                           places.leaving.size() == 1 ? "goes" : "go");
}

}  // namespace shardscope::inline hardware
