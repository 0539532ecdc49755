// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/run_views.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/help/topics.h"

namespace shardscope::inline views {
namespace {

using Kind = ItemId::Kind;

ItemId device_alone(const ItemId& item, Kind kind = Kind::none) {
  return {.kind = kind, .device = item.device};
}

// Where views look for the one device they are of: what is selected decides before what is pointed at.
void keep_device(Selection& of, int64_t devices) {
  const bool chosen = of.selected.device >= 0 && of.selected.device < devices;
  of.hovered = chosen ? ItemId() : device_alone(of.hovered);
}

// The sums of a marked range are of the device that is pointed at.
Selection seen_on_timeline(const ViewInput& in, const Plane&, const Selection& now, const Canvas&) {
  Selection out = now;
  const Kind kind = now.hovered.kind;
  if (kind == Kind::event || kind == Kind::event_group || kind == Kind::instruction) return out;
  out.hovered = {};
  if (!now.range) return out;
  out.hovered = now.hovered;
  keep_device(out, in.trace.devices());
  return out;
}

Selection seen_in_grid(const ViewInput& in, const Plane&, const Selection& now, const Canvas&) {
  const bool pointed = now.hovered.kind == Kind::block || now.hovered.kind == Kind::device;
  return {held_since(in, now.time), pointed ? now.hovered : ItemId(), now.selected, {}};
}

Selection seen_in_product(const ViewInput&, const Plane&, const Selection& now, const Canvas&) {
  const bool pointed = now.hovered.kind == Kind::block || now.hovered.kind == Kind::device;
  return {now.time, pointed ? now.hovered : device_alone(now.hovered), now.selected, {}};
}

Selection seen_in_ring(const ViewInput& in, const Plane& at, const Selection& now, const Canvas& to) {
  Selection out{now.time, {}, now.selected, {}};
  const bool device = now.hovered.kind == Kind::device;
  if (device || ring_follows_device(in, {at.zoom, at.pan, at.ahead}, to))
    out.hovered = device_alone(now.hovered, device ? Kind::device : Kind::none);
  return out;
}

Selection seen_in_operations(const ViewInput&, const Plane&, const Selection& now, const Canvas&) {
  Selection out = now;
  if (now.hovered.kind != Kind::instruction || now.hovered.index < 0) out.hovered = {};
  return out;
}

Selection seen_on_links(const ViewInput&, const Plane&, const Selection& now, const Canvas&) {
  return {0, {}, device_alone(now.selected), now.range};
}

Selection seen_in_memory(const ViewInput& in, const Plane&, const Selection& now, const Canvas&) {
  Selection out{now.time, now.hovered, device_alone(now.selected), {}};
  keep_device(out, std::ssize(in.run.timeline.memory));
  return out;
}

Selection seen_in_roofline(const ViewInput& in, const Plane&, const Selection& now, const Canvas&) {
  Selection out{0, now.hovered, now.selected, {}};
  keep_device(out, in.trace.devices());
  return out;
}

Selection seen_nothing(const ViewInput&, const Plane&, const Selection&, const Canvas&) {
  return {};
}

}  // namespace

const std::vector<RunView>& run_views() {
  using In = const ViewInput&;
  using At = const Plane&;
  using Now = const Selection&;
  using To = const Canvas&;
  using Moves = RunView::Moves;
  static const std::vector<RunView> kViews = {
      {"timeline", help_topic("timeline").title, help_topic("timeline").shows, Moves::time,
       [](In in, At, Now now, To to) { return layout_timeline(in, {}, now, to); }, seen_on_timeline},
      {"grid", help_topic("grid").title, help_topic("grid").shows, Moves::plane,
       [](In in, At at, Now now, To to) {
         return layout_sharding_grid(in, {at.zoom, at.pan, at.sliders}, now, to);
       },
       seen_in_grid},
      {"ring", help_topic("ring").title, help_topic("ring").shows, Moves::plane,
       [](In in, At at, Now now, To to) {
         return layout_ring(in, {at.zoom, at.pan, at.ahead}, now, to);
       },
       seen_in_ring},
      {"product", help_topic("product").title, help_topic("product").shows, Moves::plane,
       [](In in, At at, Now now, To to) {
         return layout_product(in, {at.zoom, at.pan, at.numbers}, now, to);
       },
       seen_in_product},
      {"operations", help_topic("operations").title, help_topic("operations").shows, Moves::parts,
       [](In in, At, Now now, To to) { return layout_operations(in, now, to); }, seen_in_operations},
      {"links", help_topic("links").title, help_topic("links").shows, Moves::nothing,
       [](In in, At, Now now, To to) { return layout_links(in, now, to); }, seen_on_links},
      {"memory", help_topic("memory").title, help_topic("memory").shows, Moves::nothing,
       [](In in, At, Now now, To to) { return layout_memory(in, {}, now, to); }, seen_in_memory},
      {"roofline", help_topic("roofline").title, help_topic("roofline").shows, Moves::nothing,
       [](In in, At, Now now, To to) { return layout_roofline(in, now, to); }, seen_in_roofline},
      {"numerics", help_topic("numerics").title, help_topic("numerics").shows, Moves::nothing,
       [](In in, At, Now, To to) { return layout_numerics(in, to); }, seen_nothing},
      {"bits", help_topic("bits").title, help_topic("bits").shows, Moves::nothing,
       [](In in, At, Now, To to) { return layout_bits(in, to); }, seen_nothing},
      {"steps", help_topic("steps").title, help_topic("steps").shows, Moves::nothing,
       [](In in, At, Now, To to) { return layout_steps(in, to); }, seen_nothing},
  };
  return kViews;
}

std::vector<std::string> view_names() {
  std::vector<std::string> names;
  for (const RunView& view : run_views()) names.emplace_back(view.id);
  return names;
}

bool stand_below(const std::vector<std::string>& ids) {
  return std::ranges::any_of(ids, [](const std::string& id) {
    const auto view = std::ranges::find(run_views(), id, &RunView::id);
    return view == run_views().end() || view->moves == RunView::Moves::time ||
           view->moves == RunView::Moves::parts;
  });
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

}  // namespace shardscope::inline views
