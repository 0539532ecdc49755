// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/axis_parts.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/sharding/tile_reader.h"

namespace shardscope::inline sharding {
namespace {

using Subgroup = HloSharding::Subgroup;

// All axes cut where any part begins or ends, so that every part is a run of factors.
class Factors {
 public:
  Factors(const AxisMesh& mesh, const std::vector<AxisPart>& parts) : mesh_(mesh) {
    for (size_t a = 0; a < mesh.sizes.size(); ++a) {
      std::vector<int64_t> cuts = {1, mesh.sizes[a]};
      for (const AxisPart& p : parts) {
        if (p.axis != a) continue;
        cuts.push_back(p.before);
        cuts.push_back(p.before * p.size);
      }
      std::sort(cuts.begin(), cuts.end());
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      for (size_t c = 1; c < cuts.size(); ++c) {
        if (cuts[c] % cuts[c - 1] != 0) sound_ = false;
        factors_.push_back({a, cuts[c - 1], cuts[c] / cuts[c - 1]});
      }
    }
    used_.assign(factors_.size(), 0);
  }

  // Appends the factors of the parts and gives their size.
  Result<int64_t> take(const std::vector<AxisPart>& parts, std::vector<size_t>& order) {
    const size_t from = order.size();
    for (const AxisPart& part : parts)
      if (!take_part(part, order))
        return invalid(fmt::format("axis '{}' is used twice, or cut unevenly", mesh_.names[part.axis]));
    return size_of(order, from);
  }
  int64_t take_rest(std::vector<size_t>& order) {
    const size_t from = order.size();
    for (size_t f = 0; f < factors_.size(); ++f)
      if (!used_[f]++) order.push_back(f);
    return size_of(order, from);
  }
  // The mesh's devices, row-major over the factors in this order.
  std::vector<int64_t> devices(const std::vector<size_t>& order) const {
    std::vector<int64_t> strides(factors_.size(), 1);
    for (size_t f = factors_.size(); f-- > 1;) strides[f - 1] = strides[f] * factors_[f].size;
    std::vector<int64_t> flat{0};
    for (size_t i = order.size(); i-- > 0;) {
      const size_t inner = flat.size();
      for (int64_t step = 1; step < factors_[order[i]].size; ++step)
        for (size_t j = 0; j < inner; ++j) flat.push_back(flat[j] + step * strides[order[i]]);
    }
    for (int64_t& place : flat) place = mesh_.devices[static_cast<size_t>(place)];
    return flat;
  }

 private:
  // False when a factor is taken already or the cuts do not nest.
  bool take_part(const AxisPart& part, std::vector<size_t>& order) {
    for (size_t f = 0; f < factors_.size(); ++f) {
      const AxisPart& factor = factors_[f];
      if (factor.axis != part.axis || factor.before < part.before || factor.before >= part.before * part.size)
        continue;
      if (used_[f]++) return false;
      order.push_back(f);
    }
    return sound_;
  }
  int64_t size_of(const std::vector<size_t>& order, size_t from) const {
    int64_t product = 1;
    for (size_t i = from; i < order.size(); ++i) product *= factors_[order[i]].size;
    return product;
  }

  const AxisMesh& mesh_;
  std::vector<AxisPart> factors_;  // row-major over the mesh
  std::vector<int> used_;
  bool sound_ = true;
};

}  // namespace

std::optional<size_t> AxisMesh::find(std::string_view name) const {
  const auto at = std::find(names.begin(), names.end(), name);
  return at == names.end() ? std::nullopt : std::optional(static_cast<size_t>(at - names.begin()));
}

std::optional<Mesh> plain_mesh(const AxisMesh& axes) {
  if (!std::is_sorted(axes.devices.begin(), axes.devices.end())) return std::nullopt;
  std::vector<MeshAxis> named;
  for (size_t a = 0; a < axes.names.size(); ++a) named.push_back({axes.names[a], axes.sizes[a], true});
  auto mesh = Mesh::make(std::move(named));
  if (!mesh.ok()) return std::nullopt;
  const auto again = Mesh::parse(mesh->text());
  return again.ok() && *again == *mesh ? std::optional(*std::move(mesh)) : std::nullopt;
}

Result<HloSharding> tiled_by_axes(const AxisMesh& mesh, const AxisTiles& tiles, RestOfAxes rest) {
  std::vector<AxisPart> all = tiles.manual;
  all.insert(all.end(), tiles.unreduced.begin(), tiles.unreduced.end());
  for (const auto& dim : tiles.dims) all.insert(all.end(), dim.begin(), dim.end());
  Factors factors(mesh, all);
  HloSharding out;
  std::vector<size_t> order, subgroups, free;
  for (const auto& dim : tiles.dims) {
    TRY(const int64_t count, factors.take(dim, order));
    out.tiles.dims.push_back(count);
  }
  TRY(const int64_t manual, factors.take(tiles.manual, subgroups));
  TRY(const int64_t unreduced, factors.take(tiles.unreduced, subgroups));
  const int64_t replicas = factors.take_rest(free);
  std::vector<std::pair<int64_t, Subgroup>> types = {{manual, Subgroup::manual},
                                                     {unreduced, Subgroup::unreduced}};
  const bool first = rest == RestOfAxes::first_subgroup;
  types.insert(first ? types.begin() : types.end(), {replicas, Subgroup::replicated});
  subgroups.insert(first ? subgroups.begin() : subgroups.end(), free.begin(), free.end());
  order.insert(order.end(), subgroups.begin(), subgroups.end());
  out.kind = HloSharding::Kind::tiled;
  out.tiles.devices = factors.devices(order);
  if (out.tiles.devices.size() < 2) return HloSharding();
  for (const auto& [size, type] : types) {
    out.tiles.dims.push_back(size);
    out.subgroups.push_back(type);
  }
  return normalised(std::move(out));
}

Result<TileAssignment> groups_along(const AxisMesh& mesh, const std::vector<AxisPart>& parts) {
  Factors factors(mesh, parts);
  std::vector<size_t> members, order;
  TRY(const int64_t size, factors.take(parts, members));
  const int64_t groups = factors.take_rest(order);
  order.insert(order.end(), members.begin(), members.end());
  return TileAssignment{{groups, size}, factors.devices(order)};
}

}  // namespace shardscope::inline sharding
