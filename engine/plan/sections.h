// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/mesh/mesh.h"

namespace shardscope::inline planner {

// The parts of a mesh that span the same axes of it: its lines along one, its planes along two, all of it.
// Devices have places in their section, row by row, in the order of their numbers.
class Sections {
 public:
  Sections() = default;
  Sections(const Mesh& mesh, std::vector<int> axes);  // ascending

  const std::vector<int>& axes() const { return axes_; }
  int32_t size() const { return size_; }  // devices of one
  int32_t count() const { return static_cast<int32_t>(devices_.size()) / size_; }
  const std::vector<int32_t>& by_device() const { return section_of_; }
  int32_t section_of(int32_t device) const { return section_of_[static_cast<size_t>(device)]; }
  int32_t place_of(int32_t device) const { return place_of_[static_cast<size_t>(device)]; }
  int32_t device(int32_t section, int32_t place) const {
    return devices_[static_cast<size_t>(section) * static_cast<size_t>(size_) + static_cast<size_t>(place)];
  }
  // A section as a mesh of its own.
  const Mesh& mesh() const { return mesh_; }

 private:
  std::vector<int> axes_;
  int32_t size_ = 1;
  std::vector<int32_t> section_of_, place_of_;  // by device
  std::vector<int32_t> devices_;                // by section · size + place
  Mesh mesh_;
};

}  // namespace shardscope::inline planner
