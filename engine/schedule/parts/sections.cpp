// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/parts/sections.h"

#include <algorithm>
#include <utility>

#include "engine/schedule/events/to_index.h"

namespace shardscope::inline scheduler {

Sections::Sections(const Mesh& mesh, std::vector<int> axes) : axes_(std::move(axes)) {
  std::vector<MeshAxis> spanned;
  for (const int a : axes_) spanned.push_back(mesh.axes()[to_index(a)]);
  mesh_ = Mesh::make(std::move(spanned)).value();
  size_ = static_cast<int32_t>(mesh_.device_count());
  const auto devices = static_cast<int32_t>(mesh.device_count());
  section_of_.resize(to_index(devices));
  place_of_.resize(to_index(devices));
  devices_.resize(to_index(devices));
  for (int32_t d = 0; d < devices; ++d) {
    int32_t section = 0;
    int32_t place = 0;
    for (int a = 0; a < mesh.rank(); ++a) {
      const auto size = static_cast<int32_t>(mesh.axis_size(a));
      const int32_t c = d / static_cast<int32_t>(mesh.stride(a)) % size;
      int32_t& number = std::ranges::find(axes_, a) != axes_.end() ? place : section;
      number = number * size + c;
    }
    section_of_[to_index(d)] = section;
    place_of_[to_index(d)] = place;
    devices_[to_index(section) * to_index(size_) + to_index(place)] = d;
  }
}

}  // namespace shardscope::inline scheduler
