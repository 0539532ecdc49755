// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "engine/mesh/mesh.h"

namespace shardscope::inline program {

// Where a device stands, by the roles of a strategy: what the papers call (i, j). Plain numbers, known while
// the program is written; on the device itself an Index says the same.
class MeshPlace {
 public:
  // `roles`: role -> axis of the mesh; a role that is not in it stands for the axis of the same name.
  MeshPlace(const Mesh& mesh, const std::map<std::string, std::string>& roles, DeviceId device);

  int64_t operator[](std::string_view role) const;  // its coordinate
  MeshPlace at(std::string_view role, int64_t coordinate) const;
  MeshPlace moved(std::string_view role, int64_t distance) const;  // around the axis, either way
  DeviceId device() const { return device_; }

 private:
  int position(std::string_view role) const;
  MeshPlace along(int axis, int64_t distance) const;

  const Mesh* mesh_;
  const std::map<std::string, std::string>* roles_;
  DeviceId device_;
};

}  // namespace shardscope::inline program
