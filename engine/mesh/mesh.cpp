// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/mesh.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/text.h"
#include "engine/base/units.h"

namespace shardscope::inline mesh {
namespace {

bool is_identifier(std::string_view text) {
  if (text.empty() || (!std::isalpha(static_cast<unsigned char>(text[0])) && text[0] != '_')) return false;
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; });
}

Result<void> check_order(const std::vector<int32_t>& order, int64_t devices) {
  if (static_cast<int64_t>(order.size()) != devices) {
    return invalid(fmt::format("device order lists {} devices, the mesh has {}", order.size(), devices),
                   "device order", "list every device once");
  }
  std::vector<bool> seen(order.size());
  for (int32_t d : order) {
    if (d < 0 || d >= devices) {
      return invalid(fmt::format("device {} in the device order, expected 0 to {}", d, devices - 1),
                     "device order");
    }
    if (seen[static_cast<size_t>(d)]) {
      return invalid(fmt::format("device {} is twice in the device order", d), "device order",
                     "list every device once");
    }
    seen[static_cast<size_t>(d)] = true;
  }
  return {};
}

}  // namespace

Result<Mesh> Mesh::make(std::vector<MeshAxis> axes, std::vector<int32_t> device_order) {
  Mesh mesh;
  for (size_t i = 0; i < axes.size(); ++i) {
    const MeshAxis& axis = axes[i];
    if (!is_identifier(axis.name)) {
      return invalid(fmt::format("axis name '{}' is not an identifier", axis.name),
                     fmt::format("mesh axis {}", i + 1), "use letters, digits and _");
    }
    for (size_t j = 0; j < i; ++j) {
      if (axes[j].name == axis.name)
        return invalid(fmt::format("axis '{}' is there twice", axis.name), "mesh");
    }
    if (axis.size < 1) {
      return invalid(fmt::format("axis size must be at least 1, got {}", axis.size),
                     fmt::format("mesh axis '{}'", axis.name));
    }
    const auto count = checked_multiply(mesh.device_count_, axis.size);
    if (!count || *count > kMaxDevices) {
      return too_big(fmt::format("the mesh has more than {} devices", group_digits(kMaxDevices)),
                     fmt::format("mesh axis '{}'={}", axis.name, axis.size), "use a smaller mesh");
    }
    mesh.device_count_ = *count;
  }
  mesh.strides_.assign(axes.size(), 1);
  for (size_t i = axes.size(); i-- > 1;) mesh.strides_[i - 1] = mesh.strides_[i] * axes[i].size;
  if (!device_order.empty()) {
    TRY_VOID(check_order(device_order, mesh.device_count_));
    if (!std::is_sorted(device_order.begin(), device_order.end()))
      mesh.device_order_ = std::move(device_order);
  }
  mesh.axes_ = std::move(axes);
  return mesh;
}

Result<Mesh> Mesh::parse(std::string_view text) {
  std::vector<MeshAxis> axes;
  for (const std::string& part : split(trim(text), ',')) {
    const size_t equals = part.find('=');
    const std::string_view whole = trim(part);
    if (equals == std::string::npos) {
      return invalid(fmt::format("'{}' is not a mesh axis", whole), "mesh",
                     "write name=size, as in row=2,col=4");
    }
    const std::string_view name = trim(std::string_view(part).substr(0, equals));
    const std::string_view size = trim(std::string_view(part).substr(equals + 1));
    const auto value = parse_int(size);
    if (!value) {
      return invalid(fmt::format("size '{}' of mesh axis '{}' is not a whole number", size, name), "mesh",
                     "write name=size, as in row=2,col=4");
    }
    axes.push_back({std::string(name), *value, true});
  }
  if (axes.empty()) return invalid("the mesh has no axes", "mesh", "write name=size, as in row=2,col=4");
  return make(std::move(axes));
}

std::optional<int> Mesh::axis_index(std::string_view name) const {
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].name == name) return static_cast<int>(i);
  }
  return std::nullopt;
}

// In 32 bits, as ids are: of divisions those are the quick ones.
int64_t Mesh::coordinate(DeviceId device, int axis) const {
  return static_cast<uint32_t>(device.value) / static_cast<uint32_t>(stride(axis)) %
         static_cast<uint32_t>(axis_size(axis));
}

std::vector<int64_t> Mesh::coordinates(DeviceId device) const {
  std::vector<int64_t> out(axes_.size());
  for (int a = 0; a < rank(); ++a) out[static_cast<size_t>(a)] = coordinate(device, a);
  return out;
}

DeviceId Mesh::device_at(const std::vector<int64_t>& coordinates) const {
  CHECK(coordinates.size() == axes_.size(), coordinates.size(), axes_.size());
  int64_t id = 0;
  for (size_t a = 0; a < axes_.size(); ++a) id += coordinates[a] * strides_[a];
  return DeviceId(id);
}

std::vector<DeviceId> Mesh::group(DeviceId device, int axis) const {
  const int64_t first = device.value - coordinate(device, axis) * stride(axis);
  std::vector<DeviceId> members;
  for (int64_t i = 0; i < axis_size(axis); ++i) members.emplace_back(first + i * stride(axis));
  return members;
}

int64_t Mesh::chip_of(DeviceId device) const {
  return device_order_.empty() ? device.value : device_order_[static_cast<size_t>(device.value)];
}

std::string Mesh::text() const {
  std::vector<std::string> parts;
  for (const MeshAxis& axis : axes_) parts.push_back(fmt::format("{}={}", axis.name, axis.size));
  return join(parts, ",");
}

std::string Mesh::place(DeviceId device) const {
  return fmt::format("({})", fmt::join(coordinates(device), ","));
}

Result<Mesh> with_wrap(const Mesh& mesh, std::string_view wrap) {
  std::vector<MeshAxis> axes = mesh.axes();
  const std::string_view word = trim(wrap);
  for (MeshAxis& axis : axes) axis.wrap = word == "all";
  if (word != "all" && word != "none") {
    for (const std::string& part : split(word, ',')) {
      const auto index = mesh.axis_index(trim(part));
      if (!index) {
        return invalid(fmt::format("unknown mesh axis '{}'", trim(part)), "--wrap",
                       "use all, none or axes of " + mesh.text());
      }
      axes[static_cast<size_t>(*index)].wrap = true;
    }
  }
  return Mesh::make(std::move(axes), mesh.device_order());
}

}  // namespace shardscope::inline mesh
