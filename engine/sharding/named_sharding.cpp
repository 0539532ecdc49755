// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/named_sharding.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/text.h"

namespace shardscope::inline sharding {
namespace {

// Finds `name` on the mesh and marks it used; an axis may split one dimension only.
Result<int> use_axis(const Mesh& mesh, const std::string& name, std::vector<bool>& used,
                     const std::string& where) {
  const auto axis = mesh.axis_index(name);
  if (!axis) {
    std::vector<std::string> names;
    for (const MeshAxis& a : mesh.axes()) names.push_back(a.name);
    const auto near = nearest(name, names);
    return invalid(fmt::format("unknown mesh axis '{}', the mesh has {}", name, mesh.text()), where,
                   near ? fmt::format("did you mean '{}'?", *near) : "use the mesh's axis names");
  }
  if (used[static_cast<size_t>(*axis)]) {
    return invalid(fmt::format("axis '{}' is used twice", name), where, "an axis splits one dimension only");
  }
  used[static_cast<size_t>(*axis)] = true;
  return *axis;
}

std::string axes_text(const std::vector<std::string>& axes) {
  if (axes.size() == 1) return fmt::format("the size of axis '{}'", axes[0]);
  return fmt::format("the product of axes '{}'", fmt::join(axes, "', '"));
}

}  // namespace

Result<NamedSharding> NamedSharding::make(Mesh mesh, PartitionSpec spec, std::vector<std::string> unreduced) {
  NamedSharding out;
  std::vector<bool> used(mesh.axes().size());
  for (const auto& names : spec.dims) {
    std::vector<int>& axes = out.axes_.emplace_back();
    for (const std::string& name : names) {
      TRY(const int axis, use_axis(mesh, name, used, "spec " + spec.text()));
      axes.push_back(axis);
    }
  }
  for (const std::string& name : unreduced)
    TRY_VOID(use_axis(mesh, name, used, "unreduced axes of " + spec.text()));
  out.mesh_ = std::move(mesh);
  out.spec_ = std::move(spec);
  out.unreduced_ = std::move(unreduced);
  return out;
}

int64_t NamedSharding::shards(size_t dim) const {
  int64_t product = 1;
  if (dim >= axes_.size()) return product;
  for (int axis : axes_[dim]) product *= mesh_.axis_size(axis);
  return product;
}

Result<std::vector<int64_t>> NamedSharding::shard_shape(const std::vector<int64_t>& global) const {
  const std::string where = fmt::format("shape ({}), spec {}", fmt::join(global, ","), spec_.text());
  if (global.size() < axes_.size()) {
    return invalid(fmt::format("the spec has {} entries, the array has rank {}", axes_.size(), global.size()),
                   where, "give at most one entry per dimension");
  }
  std::vector<int64_t> shape = global;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < 0)
      return invalid(fmt::format("dimension {} must not be negative, got {}", d, shape[d]), where);
    const int64_t parts = shards(d);
    if (shape[d] % parts != 0) {
      return invalid(fmt::format("dimension {} of size {} is not divisible by {}, {}", d, shape[d], parts,
                                 axes_text(spec_.dims[d])),
                     where, fmt::format("use a multiple of {}", parts));
    }
    shape[d] /= parts;
  }
  return shape;
}

int64_t NamedSharding::shard_index(DeviceId device, size_t dim) const {
  int64_t index = 0;
  if (dim >= axes_.size()) return index;
  for (int axis : axes_[dim]) index = index * mesh_.axis_size(axis) + mesh_.coordinate(device, axis);
  return index;
}

IndexBox NamedSharding::slices(DeviceId device, const std::vector<int64_t>& global) const {
  const auto shape = shard_shape(global);
  CHECK(shape.ok(), shape.ok() ? "" : shape.error().text());
  IndexBox box;
  for (size_t d = 0; d < global.size(); ++d) {
    const int64_t start = shard_index(device, d) * (*shape)[d];
    box.push_back({start, start + (*shape)[d]});
  }
  return box;
}

int64_t NamedSharding::replicas() const {
  int64_t split = 1;
  for (size_t d = 0; d < axes_.size(); ++d) split *= shards(d);
  return mesh_.device_count() / split;
}

}  // namespace shardscope::inline sharding
