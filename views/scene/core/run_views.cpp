// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/run_views.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/help/topics.h"

namespace shardscope {

const std::vector<RunView>& run_views() {
  using In = const ViewInput&;
  using At = const Plane&;
  using Now = const Selection&;
  using To = const Canvas&;
  using Moves = RunView::Moves;
  static const std::vector<RunView> kViews = {
      {"timeline", help_topic("timeline").title, help_topic("timeline").shows, Moves::time,
       [](In in, At, Now now, To to) { return layout_timeline(in, {}, now, to); }},
      {"grid", help_topic("grid").title, help_topic("grid").shows, Moves::plane,
       [](In in, At at, Now now, To to) {
         return layout_sharding_grid(in, {at.zoom, at.pan, at.sliders}, now, to);
       }},
      {"ring", help_topic("ring").title, help_topic("ring").shows, Moves::plane,
       [](In in, At at, Now now, To to) {
         return layout_ring(in, {at.zoom, at.pan, at.ahead}, now, to);
       }},
      {"operations", help_topic("operations").title, help_topic("operations").shows, Moves::parts,
       [](In in, At, Now now, To to) { return layout_operations(in, now, to); }},
      {"links", help_topic("links").title, help_topic("links").shows, Moves::nothing,
       [](In in, At, Now now, To to) { return layout_links(in, now, to); }},
      {"memory", help_topic("memory").title, help_topic("memory").shows, Moves::nothing,
       [](In in, At, Now now, To to) { return layout_memory(in, {}, now, to); }},
      {"roofline", help_topic("roofline").title, help_topic("roofline").shows, Moves::nothing,
       [](In in, At, Now now, To to) { return layout_roofline(in, now, to); }},
      {"numerics", help_topic("numerics").title, help_topic("numerics").shows, Moves::nothing,
       [](In in, At, Now, To to) { return layout_numerics(in, to); }},
      {"bits", help_topic("bits").title, help_topic("bits").shows, Moves::nothing,
       [](In in, At, Now, To to) { return layout_bits(in, to); }},
  };
  return kViews;
}

std::vector<std::string> view_names() {
  std::vector<std::string> names;
  for (const RunView& view : run_views()) names.emplace_back(view.id);
  return names;
}

Result<Scene> layout_named(std::string_view id, const ViewInput& input, const Selection& selection,
                           const Canvas& canvas, const Plane& plane) {
  for (const RunView& view : run_views()) {
    if (view.id == id) return view.layout(input, plane, selection, canvas);
  }
  const auto near = nearest(id, view_names());
  return invalid("unknown view '" + std::string(id) + "', expected one of " + join(view_names(), ", "),
                 "--view", near ? "did you mean " + *near : "");
}

}  // namespace shardscope
