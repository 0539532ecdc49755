// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.h"
#include "views/scene/core/layouts.h"

namespace shardscope {

std::vector<std::string> view_names() {
  return {"timeline", "grid", "ring", "memory", "roofline", "numerics"};
}

Result<Scene> layout_named(std::string_view view, const ViewInput& input, const Selection& selection,
                           const Canvas& canvas) {
  if (view == "timeline") return layout_timeline(input, {}, selection, canvas);
  if (view == "grid") return layout_sharding_grid(input, {}, selection, canvas);
  if (view == "ring") return layout_ring(input, {}, selection, canvas);
  if (view == "memory") return layout_memory(input, {}, selection, canvas);
  if (view == "roofline") return layout_roofline(input, selection, canvas);
  if (view == "numerics") return layout_numerics(input, canvas);
  const auto near = nearest(view, view_names());
  return invalid("unknown view '" + std::string(view) + "', expected one of " + join(view_names(), ", "),
                 "--view", near ? "did you mean " + *near : "");
}

}  // namespace shardscope
