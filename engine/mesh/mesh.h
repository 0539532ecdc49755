// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"

namespace shardscope::inline mesh {

// A device by its logical id: its row-major place in the mesh, `mesh.devices.flat` in JAX.
using DeviceId = Id<struct DeviceTag>;

struct MeshAxis {
  std::string name;
  int64_t size = 1;  // >= 1
  bool wrap = true;  // the links of this axis close to a ring (torus)
  bool operator==(const MeshAxis&) const = default;
};

// N named axes over devices. Device ids are row-major over the axes in their order. Axis names are unique,
// sizes positive, at most kMaxDevices devices in all; `device_order` is a permutation: logical device l runs
// on the chip that stands at row-major place device_order[l] of the physical torus (same axis sizes). A
// value.
class Mesh {
 public:
  static constexpr int64_t kMaxDevices = int64_t{1} << 20;

  Mesh() = default;  // no axes, one device
  static Result<Mesh> make(std::vector<MeshAxis> axes, std::vector<int32_t> device_order = {});
  // "row=2,col=4". Blanks are allowed; names are identifiers.
  static Result<Mesh> parse(std::string_view text);

  const std::vector<MeshAxis>& axes() const { return axes_; }
  int rank() const { return static_cast<int>(axes_.size()); }
  int64_t device_count() const { return device_count_; }
  // Position of the axis called `name`.
  std::optional<int> axis_index(std::string_view name) const;
  int64_t axis_size(int axis) const { return axes_[static_cast<size_t>(axis)].size; }
  // Product of the sizes behind `axis`: the id distance of neighbours on it.
  int64_t stride(int axis) const { return strides_[static_cast<size_t>(axis)]; }
  int64_t coordinate(DeviceId device, int axis) const;
  std::vector<int64_t> coordinates(DeviceId device) const;
  DeviceId device_at(const std::vector<int64_t>& coordinates) const;
  // The devices that differ from `device` only on `axis`, in order of that coordinate.
  std::vector<DeviceId> group(DeviceId device, int axis) const;

  const std::vector<int32_t>& device_order() const { return device_order_; }  // empty: the identity
  // Row-major place of `device`'s chip on the physical torus.
  int64_t chip_of(DeviceId device) const;

  std::string text() const;                  // "row=2,col=4"
  std::string place(DeviceId device) const;  // "(0,1)"
  bool operator==(const Mesh&) const = default;

 private:
  std::vector<MeshAxis> axes_;
  std::vector<int64_t> strides_;
  std::vector<int32_t> device_order_;
  int64_t device_count_ = 1;
};

// "all", "none" or a list of axis names, as in --wrap.
Result<Mesh> with_wrap(const Mesh& mesh, std::string_view wrap);

}  // namespace shardscope::inline mesh
