// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/run_views.h"

#include <algorithm>

#include "engine/base/say.h"
#include "engine/base/text.h"

namespace shardscope {

const std::vector<RunView>& run_views() {
  using In = const ViewInput&;
  using At = const Plane&;
  using Now = const Selection&;
  using To = const Canvas&;
  using Moves = RunView::Moves;
  static const std::vector<RunView> kViews = {
      {"timeline", to_say("Timeline"),
       to_say("The timeline shows what every device computes and sends, when, and which communication is "
              "exposed."),
       Moves::time, [](In in, At, Now now, To to) { return layout_timeline(in, {}, now, to); }},
      {"grid", to_say("Sharding"),
       to_say("The sharding grid shows which device holds which block of X, W and Y at every step."),
       Moves::plane,
       [](In in, At at, Now now, To to) {
         return layout_sharding_grid(in, {at.zoom, at.pan, at.sliders}, now, to);
       }},
      {"ring", to_say("Ring"),
       to_say("The ring shows the devices, their links and the blocks that travel along them."), Moves::plane,
       [](In in, At at, Now now, To to) {
         return layout_ring(in, {at.zoom, at.pan, true}, now, to);
       }},
      {"operations", to_say("Operations"),
       to_say(
           "Operations shows how busy the devices are with each operation, from the beginning to the end."),
       Moves::parts, [](In in, At, Now now, To to) { return layout_operations(in, now, to); }},
      {"links", to_say("Links"),
       to_say("Links shows how long each link of the mesh sends, and which of them is the busiest."),
       Moves::nothing, [](In in, At, Now now, To to) { return layout_links(in, now, to); }},
      {"memory", to_say("Memory"),
       to_say("Memory shows the bytes that live on a device over time, and what holds the peak."),
       Moves::nothing, [](In in, At, Now now, To to) { return layout_memory(in, {}, now, to); }},
      {"roofline", to_say("Roofline"),
       to_say("The roofline shows whether the products are bound by compute or by memory."), Moves::nothing,
       [](In in, At, Now now, To to) { return layout_roofline(in, now, to); }},
      {"numerics", to_say("Numerics"),
       to_say("Numerics shows where a result differs from its reference, and how far both are from the "
              "product in "
              "f64."),
       Moves::nothing, [](In in, At, Now, To to) { return layout_numerics(in, to); }},
      {"bits", to_say("Bit microscope"),
       to_say("The bit microscope shows the element that decides a comparison: its partial sums on the grid "
              "of their type, and what each rounding loses."),
       Moves::nothing, [](In in, At, Now, To to) { return layout_bits(in, to); }},
  };
  return kViews;
}

std::vector<std::string> view_names() {
  std::vector<std::string> names;
  for (const RunView& view : run_views()) names.emplace_back(view.id);
  return names;
}

Result<Scene> layout_named(std::string_view id, const ViewInput& input, const Selection& selection,
                           const Canvas& canvas) {
  for (const RunView& view : run_views()) {
    if (view.id == id) return view.layout(input, {}, selection, canvas);
  }
  const auto near = nearest(id, view_names());
  return invalid("unknown view '" + std::string(id) + "', expected one of " + join(view_names(), ", "),
                 "--view", near ? "did you mean " + *near : "");
}

}  // namespace shardscope
