// SPDX-License-Identifier: Apache-2.0
// Shardings and device groups written on named mesh axes and parts of them, as XLA's V3 text and Shardy do.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sharding/hlo_sharding.h"

namespace shardscope::inline sharding {

// An axis or a part of it: of an axis seen as [before][size][rest], the middle.
struct AxisPart {
  size_t axis = 0;
  int64_t before = 1;
  int64_t size = 1;
  auto operator<=>(const AxisPart&) const = default;
};

struct AxisMesh {
  std::vector<std::string> names;
  std::vector<int64_t> sizes;
  std::vector<int64_t> devices;  // row-major over sizes

  std::optional<size_t> find(std::string_view name) const;
  bool operator==(const AxisMesh&) const = default;
};

// The same as a Mesh; none: its devices stand in another order, or its text would not read its names back.
std::optional<Mesh> plain_mesh(const AxisMesh& axes);

// What splits each dimension of an array, and what its other parts are for.
struct AxisTiles {
  std::vector<std::vector<AxisPart>> dims;
  std::vector<AxisPart> manual, unreduced;
  // For propagation: axes that stay unused, dimensions that it may split further, and by dimension in which
  // round it counts (0, the first, where there is none).
  std::vector<AxisPart> replicated{};
  std::vector<int64_t> open{};
  std::vector<int64_t> priorities{};
  bool operator==(const AxisTiles&) const = default;
};

// Where the axes that nothing names stand among the subgroups: V3 text puts them before the others, Shardy
// behind.
enum class RestOfAxes { first_subgroup, last_subgroup };

// "{mesh['a'=2,'b'=4], [{'a'}, {'b', ?}]}": what it says on which mesh. None: it is no such text.
struct NamedTiles {
  AxisMesh mesh;
  AxisTiles tiles;
};
std::optional<NamedTiles> named_tiles(std::string_view sharding);

// Errors: an axis that is used twice, parts that do not nest.
Result<HloSharding> tiled_by_axes(const AxisMesh& mesh, const AxisTiles& tiles, RestOfAxes rest);
// Groups × members: a group is the devices that differ along `parts` alone. Errors as above.
Result<TileAssignment> groups_along(const AxisMesh& mesh, const std::vector<AxisPart>& parts);

}  // namespace shardscope::inline sharding
