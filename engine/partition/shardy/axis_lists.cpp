// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/axis_lists.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"

namespace shardscope::inline partitioner {
namespace {

int64_t end_of(const AxisPart& part) {
  return part.before * part.size;
}

// Axes cut into prime factors, small ones first or last: every part of an axis that tiles can follow is a run
// of them.
struct PrimeAxes {
  std::vector<AxisPart> parts;
  std::vector<MeshAxis> axes;

  PrimeAxes(const AxisMesh& mesh, bool small_first) {
    for (size_t a = 0; a < mesh.sizes.size(); ++a) {
      std::vector<int64_t> primes;
      int64_t rest = mesh.sizes[a];
      for (int64_t p = 2; p * p <= rest; ++p)
        for (; rest % p == 0; rest /= p) primes.push_back(p);
      if (rest > 1) primes.push_back(rest);
      if (!small_first) std::ranges::reverse(primes);
      int64_t before = 1;
      for (const int64_t p : primes) {
        axes.push_back({fmt::format("a{}", parts.size()), p, true});
        parts.push_back({a, before, p});
        before *= p;
      }
    }
  }
  AxisList listed(const std::vector<std::string>& names) const {
    AxisList out;
    for (const std::string& name : names)
      if (const auto place = parse_int(std::string_view(name).substr(1)))
        append_axis(out, parts[static_cast<size_t>(*place)]);
    return out;
  }
};

AxisList without_ones(const AxisList& axes) {
  AxisList out;
  for (const AxisPart& part : axes)
    if (part.size > 1) append_axis(out, part);
  return out;
}

// By device: its place in the order of the mesh's axes.
std::vector<int64_t> places_of(const AxisMesh& mesh) {
  std::vector<int64_t> out(mesh.devices.size());
  for (size_t k = 0; k < mesh.devices.size(); ++k)
    out[static_cast<size_t>(mesh.devices[k])] = static_cast<int64_t>(k);
  return out;
}

// The sharding on devices numbered in the order of the mesh's axes.
HloSharding on_places(const AxisMesh& mesh, HloSharding sharding) {
  const std::vector<int64_t> place = places_of(mesh);
  for (int64_t& device : sharding.tiles.devices.edit()) device = place[static_cast<size_t>(device)];
  return sharding;
}

std::optional<ArrayAxes> by_primes(const AxisMesh& mesh, const HloSharding& sharding, bool small_first) {
  const PrimeAxes primes(mesh, small_first);
  const auto fine = Mesh::make(primes.axes);
  if (!fine.ok()) return std::nullopt;
  const auto named = sharding.to_named(*fine);
  if (!named.ok()) return std::nullopt;
  ArrayAxes out;
  for (const auto& dim : named->spec().dims) out.dims.push_back(primes.listed(dim));
  for (const std::string& name : named->unreduced()) {
    for (const AxisPart& part : primes.listed({name})) append_axis(out.unreduced, part);
  }
  return out;
}

}  // namespace

ArrayAxes ArrayAxes::open(size_t rank) {
  return {std::vector<AxisList>(rank), std::vector<bool>(rank, false), {}, {}, {}};
}

ArrayAxes ArrayAxes::whole(size_t rank) {
  return {std::vector<AxisList>(rank), std::vector<bool>(rank, true), {}, {}, {}};
}

bool begins(const AxisPart& a, const AxisPart& b) {
  return a.axis == b.axis && a.before == b.before && b.size % a.size == 0;
}

bool contains(const AxisPart& whole, const AxisPart& part) {
  return whole.axis == part.axis && whole.before <= part.before && end_of(part) <= end_of(whole);
}

bool strictly_begins(const AxisList& a, const AxisList& b) {
  if (a.size() > b.size() || a == b) return false;
  if (a.empty()) return true;
  return std::equal(a.begin(), a.end() - 1, b.begin()) && begins(a.back(), b[a.size() - 1]);
}

std::optional<AxisPart> beginning_without(AxisPart part, const AxisList& others) {
  for (const AxisPart& other : others) {
    if (other.axis != part.axis || end_of(other) <= part.before || end_of(part) <= other.before) continue;
    if (other.before <= part.before || other.before % part.before != 0) return std::nullopt;
    part.size = other.before / part.before;
  }
  return part;
}

void append_axis(AxisList& axes, const AxisPart& part) {
  if (!axes.empty() && axes.back().axis == part.axis && end_of(axes.back()) == part.before)
    axes.back().size *= part.size;
  else
    axes.push_back(part);
}

std::string axes_text(const AxisMesh& mesh, const AxisList& axes) {
  std::vector<std::string> out;
  for (const AxisPart& part : axes) {
    out.push_back("'" + mesh.names[part.axis] + "'");
    if (part.before != 1 || part.size != mesh.sizes[part.axis])
      out.back() += fmt::format(":({}){}", part.before, part.size);
  }
  return join(out, ", ");
}

std::string array_axes_text(const AxisMesh& mesh, const ArrayAxes& array) {
  std::vector<std::string> dims;
  for (size_t d = 0; d < array.dims.size(); ++d) {
    std::string dim = axes_text(mesh, array.dims[d]);
    if (!array.closed[d]) dim += dim.empty() ? "?" : ", ?";
    dims.push_back("{" + dim + "}");
  }
  std::string out = "[" + join(dims, ", ") + "]";
  if (!array.replicated.empty()) out += ", replicated={" + axes_text(mesh, array.replicated) + "}";
  if (!array.unreduced.empty()) out += ", unreduced={" + axes_text(mesh, array.unreduced) + "}";
  return out;
}

Result<HloSharding> to_hlo(const AxisMesh& mesh, const AxisSplit& split) {
  AxisTiles tiles;
  tiles.dims = split.dims;
  tiles.unreduced = split.partial;
  return tiled_by_axes(mesh, tiles, RestOfAxes::last_subgroup);
}

Result<HloSharding> to_hlo(const AxisMesh& mesh, const ArrayAxes& array) {
  return tiled_by_axes(mesh, {array.dims, array.manual, array.unreduced}, RestOfAxes::last_subgroup);
}

std::optional<AxisList> axes_between(const AxisMesh& mesh, const DeviceGroups& groups) {
  const auto places = static_cast<int64_t>(mesh.devices.size());
  const std::vector<int64_t> place = places_of(mesh);
  AxisList out;
  int64_t behind = places;
  for (size_t a = 0; a < mesh.sizes.size(); ++a) {
    behind /= mesh.sizes[a];
    const auto along = [&](int64_t device) {
      return place[static_cast<size_t>(device)] / behind % mesh.sizes[a];
    };
    const bool same = std::ranges::all_of(groups.groups, [&](const auto& group) {
      return std::ranges::all_of(group, [&](int64_t d) { return along(d) == along(group.front()); });
    });
    if (same && mesh.sizes[a] > 1) out.push_back({a, 1, mesh.sizes[a]});
  }
  return size_of(out) == groups.count() && groups.count() * groups.size() == places ? std::optional(out)
                                                                                    : std::nullopt;
}

ArrayAxes inside_region(ArrayAxes array, const AxisList& manual) {
  const auto is_manual = [&](const AxisPart& part) {
    return std::ranges::any_of(manual, [&](const AxisPart& axis) { return axis.axis == part.axis; });
  };
  for (AxisList& dim : array.dims) std::erase_if(dim, is_manual);
  std::erase_if(array.replicated, is_manual);
  array.manual = manual;
  return array;
}

Result<ArrayAxes> from_hlo(const AxisMesh& mesh, const HloSharding& sharding, size_t rank) {
  if (sharding.kind == HloSharding::Kind::replicated) return ArrayAxes::whole(rank);
  const Error other = invalid("sharding " + sharding.text() + " does not follow the mesh's axes");
  if (sharding.kind != HloSharding::Kind::tiled || sharding.data_rank() != rank) return other;
  if (sharding.device_count() != static_cast<int64_t>(mesh.devices.size())) return other;
  for (const int64_t device : sharding.tiles.devices)
    if (device < 0 || device >= sharding.device_count()) return other;
  const HloSharding placed = on_places(mesh, sharding);
  auto out = by_primes(mesh, placed, true);
  if (!out) out = by_primes(mesh, placed, false);
  if (!out) return other;
  out->dims.resize(rank);
  out->closed.assign(rank, true);
  return *std::move(out);
}

ArrayAxes from_tiles(const AxisTiles& tiles) {
  ArrayAxes out = ArrayAxes::whole(tiles.dims.size());
  for (size_t d = 0; d < tiles.dims.size(); ++d) out.dims[d] = without_ones(tiles.dims[d]);
  for (const int64_t d : tiles.open) out.closed[static_cast<size_t>(d)] = false;
  out.replicated = without_ones(tiles.replicated);
  out.unreduced = without_ones(tiles.unreduced);
  return out;
}

}  // namespace shardscope::inline partitioner
