// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/mesh_place.h"

#include <algorithm>

#include "engine/base/check.h"

namespace shardscope::inline program {

MeshPlace::MeshPlace(const Mesh& mesh, const std::map<std::string, std::string>& roles, DeviceId device)
    : mesh_(&mesh), roles_(&roles), device_(device) {}

int MeshPlace::position(std::string_view role) const {
  const auto found = std::ranges::find_if(*roles_, [&](const auto& filled) { return filled.first == role; });
  const auto axis = mesh_->axis_index(found == roles_->end() ? role : std::string_view(found->second));
  CHECK(axis.has_value(), role, mesh_->text());
  return *axis;
}

int64_t MeshPlace::operator[](std::string_view role) const {
  return mesh_->coordinate(device_, position(role));
}

MeshPlace MeshPlace::at(std::string_view role, int64_t coordinate) const {
  const int axis = position(role);
  CHECK(coordinate >= 0 && coordinate < mesh_->axis_size(axis), coordinate, role, mesh_->text());
  return along(axis, coordinate - mesh_->coordinate(device_, axis));
}

MeshPlace MeshPlace::along(int axis, int64_t distance) const {
  MeshPlace other = *this;
  other.device_ = DeviceId(device_.value + distance * mesh_->stride(axis));
  return other;
}

MeshPlace MeshPlace::moved(std::string_view role, int64_t distance) const {
  const int axis = position(role);
  const int64_t n = mesh_->axis_size(axis), here = mesh_->coordinate(device_, axis);
  return along(axis, ((here + distance) % n + n) % n - here);
}

}  // namespace shardscope::inline program
