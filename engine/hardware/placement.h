// SPDX-License-Identifier: Apache-2.0
// Which axes of a mesh lie within a node and which go over the network between nodes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/mesh/mesh.h"

namespace shardscope::inline hardware {

enum class AxisPlace : uint8_t { node, network };
inline constexpr std::array kAxisPlaces{AxisPlace::node, AxisPlace::network};
const char* name(AxisPlace place);

// What was said of axes by name; the others lie as the order of the mesh's axes and the size of a node give.
struct AxisPlacement {
  std::map<std::string, AxisPlace> axes;
  bool empty() const { return axes.empty(); }
  bool operator==(const AxisPlacement&) const = default;
};
Result<AxisPlacement> parse_placement(std::string_view text);  // "node=network,gpu=node"
std::string text(const AxisPlacement& placement);

// A mesh whose device order puts its devices so, and the chip with nodes of as many chips as the mesh takes
// of each.
struct PlacedMesh {
  Mesh mesh;
  Hardware hardware;
};
// Every step along an axis on the network leaves a node; the chips that the other axes make are nodes of
// equal size, each as large as the chip's nodes allow. Axes within a node come last in the order of chips.
// Errors: an axis that is not there, axes that do not fit into a node, a mesh with an order of its own, a
// chip without nodes or network.
Result<PlacedMesh> placed(Mesh mesh, Hardware hardware, const AxisPlacement& placement);

// Where the axes of more than one device lie on a machine of several nodes; no nodes: it is one.
struct AxisPlaces {
  int64_t nodes = 0, node = 0;  // chips of one
  int64_t last = 0;             // chips of the last node
  std::vector<std::string> within, leaving;
  bool operator==(const AxisPlaces&) const = default;
};
AxisPlaces axis_places(const Mesh& mesh, const Hardware& hardware);
// "col stays within a node, row goes over the network".
std::string words_of(const AxisPlaces& places);

}  // namespace shardscope::inline hardware
