// SPDX-License-Identifier: Apache-2.0
// PartitionSpec <-> tiles. The way there is JAX's named_sharding_to_xla_hlo_sharding: the axes of the spec in
// written order, then the unused ones in mesh order as subgroups.
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "engine/sharding/hlo_sharding.h"
#include "engine/sharding/tile_reader.h"

namespace shardscope::inline sharding {
namespace {

using Kind = HloSharding::Kind;
using Subgroup = HloSharding::Subgroup;

// All devices with the mesh axes in the order `axes`, the last the fastest.
std::vector<int64_t> devices_by_axes(const Mesh& mesh, const std::vector<int>& axes) {
  std::vector<int64_t> devices{0};
  devices.reserve(static_cast<size_t>(mesh.device_count()));
  for (size_t i = axes.size(); i-- > 0;) {
    const size_t inner = devices.size();
    for (int64_t step = 1; step < mesh.axis_size(axes[i]); ++step) {
      for (size_t j = 0; j < inner; ++j) devices.push_back(devices[j] + step * mesh.stride(axes[i]));
    }
  }
  return devices;
}

// The tile dimension that `axis` moves along from device 0, and by how much.
struct FactorMove {
  int axis;
  size_t dim;
  int64_t distance;
};

// Which dimension each mesh axis splits, or nothing when an axis moves along several or backwards.
std::optional<std::vector<FactorMove>> axis_moves(const Mesh& mesh, const HloSharding& sharding,
                                                  const std::vector<int64_t>& places) {
  std::vector<int64_t> strides(sharding.tiles.dims.size(), 1);
  for (size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * sharding.tiles.dims[i];
  const auto coordinate = [&](int64_t place, size_t d) {
    return place / strides[d] % sharding.tiles.dims[d];
  };
  std::vector<FactorMove> moves;
  for (int axis = 0; axis < mesh.rank(); ++axis) {
    if (mesh.axis_size(axis) == 1) continue;
    const int64_t neighbour = places[static_cast<size_t>(mesh.stride(axis))];
    std::optional<FactorMove> move;
    for (size_t d = 0; d < strides.size(); ++d) {
      const size_t data_rank = sharding.data_rank();
      // Replicas may stand in any order.
      if (d >= data_rank && sharding.subgroups[d - data_rank] == Subgroup::replicated) continue;
      const int64_t distance = coordinate(neighbour, d) - coordinate(places[0], d);
      if (distance == 0) continue;
      if (distance < 0 || move) return std::nullopt;
      move = FactorMove{axis, d, distance};
    }
    if (move) moves.push_back(*move);
  }
  return moves;
}

// Both place every device on the same shard, replicas in any order.
bool same_shards(const HloSharding& a, const HloSharding& b) {
  if (a.kind != b.kind || a.tiles.dims != b.tiles.dims || a.subgroups != b.subgroups) return false;
  if (a.subgroups.empty() || a.subgroups.back() != Subgroup::replicated) return a.tiles == b.tiles;
  const int64_t replicas = a.tiles.dims.back();
  const auto place_a = tile_places(a.tiles);
  const auto place_b = tile_places(b.tiles);
  return std::equal(place_a.begin(), place_a.end(), place_b.begin(), place_b.end(),
                    [&](int64_t x, int64_t y) { return x / replicas == y / replicas; });
}

}  // namespace

HloSharding HloSharding::from(const NamedSharding& sharding, size_t rank) {
  const Mesh& mesh = sharding.mesh();
  CHECK(rank >= sharding.spec().dims.size(), rank, sharding.spec().text());
  HloSharding out;
  out.kind = Kind::tiled;
  std::vector<int> axes;
  for (size_t d = 0; d < rank; ++d) {
    out.tiles.dims.push_back(sharding.shards(d));
    if (d >= sharding.spec().dims.size()) continue;
    for (const std::string& name : sharding.spec().dims[d]) axes.push_back(*mesh.axis_index(name));
  }
  const size_t used = axes.size();
  const auto& partial = sharding.unreduced();
  for (const Subgroup type : {Subgroup::replicated, Subgroup::unreduced}) {
    int64_t size = 1;
    for (int axis = 0; axis < mesh.rank(); ++axis) {
      const std::string& name = mesh.axes()[static_cast<size_t>(axis)].name;
      const bool is_partial = std::find(partial.begin(), partial.end(), name) != partial.end();
      const bool is_used = std::find(axes.begin(), axes.begin() + static_cast<int64_t>(used), axis) !=
                           axes.begin() + static_cast<int64_t>(used);
      if (is_used || is_partial != (type == Subgroup::unreduced)) continue;
      axes.push_back(axis);
      size *= mesh.axis_size(axis);
    }
    if (size == 1) continue;
    out.subgroups.push_back(type);
    out.tiles.dims.push_back(size);
  }
  if (mesh.device_count() == 1) return HloSharding{};
  out.tiles.devices = devices_by_axes(mesh, axes);
  return normalised(std::move(out));
}

HloSharding HloSharding::added_up() const {
  HloSharding out = *this;
  if (kind == Kind::unreduced) out.kind = Kind::replicated;
  std::ranges::replace(out.subgroups, Subgroup::unreduced, Subgroup::replicated);
  return out;
}

Result<NamedSharding> HloSharding::to_named(const Mesh& mesh) const {
  // Made where it is needed, and of a sharding that may list very many devices not at all: a mesh is looked
  // for by trying one after the other.
  constexpr int64_t kMostListed = 4096;
  const auto where = [&] {
    return device_count() > kMostListed ? fmt::format("sharding of {} devices", device_count())
                                        : fmt::format("sharding {}", text());
  };
  const auto no_spec = [&] {
    return invalid("no PartitionSpec on mesh " + mesh.text() + " gives this sharding", where());
  };
  std::vector<std::string> every_axis;
  for (const MeshAxis& axis : mesh.axes()) every_axis.push_back(axis.name);
  if (kind == Kind::replicated) return NamedSharding::make(mesh, {});
  if (kind == Kind::unreduced) return NamedSharding::make(mesh, {}, every_axis);
  if (kind != Kind::tiled) return no_spec();
  if (device_count() != mesh.device_count()) {
    return invalid(fmt::format("the sharding names {} devices, mesh {} has {}", device_count(), mesh.text(),
                               mesh.device_count()),
                   where());
  }
  const std::vector<int64_t> places = tile_places(tiles);
  // Distinct ids, as many as the mesh has devices: all there when none is beyond the last.
  if (static_cast<int64_t>(places.size()) != mesh.device_count()) return no_spec();
  auto moves = axis_moves(mesh, *this, places);
  if (!moves) return no_spec();
  // On one dimension the axis that moves furthest is the most significant.
  std::stable_sort(moves->begin(), moves->end(),
                   [](const FactorMove& a, const FactorMove& b) { return a.distance > b.distance; });
  PartitionSpec spec;
  spec.dims.resize(data_rank());
  std::vector<std::string> partial;
  for (const FactorMove& move : *moves) {
    const std::string& name = every_axis[static_cast<size_t>(move.axis)];
    if (move.dim < data_rank()) {
      spec.dims[move.dim].push_back(name);
    } else if (subgroups[move.dim - data_rank()] == Subgroup::unreduced) {
      partial.push_back(name);
    } else {
      return no_spec();
    }
  }
  TRY(auto named, NamedSharding::make(mesh, std::move(spec), std::move(partial)));
  HloSharding plain = *this;
  plain.shard_group.clear();
  if (!same_shards(from(named, data_rank()), plain)) return no_spec();
  return named;
}

}  // namespace shardscope::inline sharding
