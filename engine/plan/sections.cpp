// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/sections.h"

#include <algorithm>
#include <utility>

#include "engine/plan/to_index.h"

namespace shardscope::inline planner {

Sections::Sections(const Mesh& mesh, std::vector<int> axes) : axes_(std::move(axes)) {
  std::vector<MeshAxis> own;
  for (const int a : axes_) own.push_back(mesh.axes()[to_index(a)]);
  mesh_ = Mesh::make(std::move(own)).value();
  size_ = static_cast<int32_t>(mesh_.device_count());
  section_of_ = place_of_ = {0};
  for (int a = 0; a < mesh.rank(); ++a) {
    const auto size = static_cast<int32_t>(mesh.axis_size(a));
    const bool spanned = std::ranges::find(axes_, a) != axes_.end();
    // A further axis, whose coordinate counts or does not.
    const auto along = [&](const std::vector<int32_t>& before, bool counts) {
      std::vector<int32_t> out(before.size() * to_index(size));
      auto next = out.begin();
      for (const int32_t number : before)
        for (int32_t c = 0; c < size; ++c) *next++ = counts ? number * size + c : number;
      return out;
    };
    section_of_ = along(section_of_, !spanned);
    place_of_ = along(place_of_, spanned);
  }
  devices_.resize(section_of_.size());
  for (size_t d = 0; d < devices_.size(); ++d)
    devices_[to_index(section_of_[d]) * to_index(size_) + to_index(place_of_[d])] = static_cast<int32_t>(d);
}

}  // namespace shardscope::inline planner
