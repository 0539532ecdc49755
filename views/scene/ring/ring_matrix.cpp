// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/ring/ring_parts.h"
#include "views/scene/story/blocks.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/held_items.h"

namespace shardscope::inline views {
namespace {

constexpr int32_t kMostAsked = 16'384;  // devices whose links are read
constexpr size_t kMostSaid = 2000;      // devices that a screen reader hears of one lane

// The bytes of each device on each lane, and the most of any.
struct LaneLoads {
  std::map<std::pair<int, int32_t>, int64_t> bytes;
  int64_t most = 0;
};

void draw_lane(Pen& pen, const ViewInput& input, const Selection& selection, int lane, const LaneLoads& loads,
               const Rect& area) {
  const Mesh& mesh = input.run.program.mesh;
  const MeshPlaces places = mesh_places(mesh);
  const std::string& name = input.trace.lanes()[static_cast<size_t>(lane)].name;
  int64_t total = 0;
  for (auto at = loads.bytes.lower_bound({lane, 0}); at != loads.bytes.end() && at->first.first == lane; ++at)
    total += at->second;
  const std::string sum = format_bytes(static_cast<double>(total));
  pen.text({area.x, area.y + pen.px(8)}, pen.fitting({name + " · " + sum + said(" in all"), name}, area.w),
           {pen.theme.text, 1, Align::left, Face::bold});
  const float top = area.y + pen.px(20);
  const float side = std::min(area.w / places.columns, (area.bottom() - top) / places.rows);
  if (side <= 0) return;
  const float gap = side > 5 ? 1.0F : 0.0F;
  const int32_t devices = std::min<int32_t>(input.trace.devices(), kMostAsked);
  for (int32_t d = 0; d < devices; ++d) {
    const Point at = places.cells[static_cast<size_t>(mesh.chip_of(DeviceId(d)))];
    const Rect r{area.x + at.x * side, top + at.y * side, std::max(1.0F, side - gap),
                 std::max(1.0F, side - gap)};
    const auto load = loads.bytes.find({lane, d});
    ItemId item;
    item.kind = ItemId::Kind::device;
    item.device = d;
    item.lane = lane;
    const int32_t id = pen.id(item);
    const double part =
        load == loads.bytes.end() ? 0 : static_cast<double>(load->second) / static_cast<double>(loads.most);
    pen.rect(r, load == loads.bytes.end() ? pen.theme.panel : load_color(pen.theme, part), id);
    for (const ItemId* pointed : {&selection.hovered, &selection.selected}) {
      if (pointed->kind == ItemId::Kind::device && pointed->device == d)
        pen.outline(r.inset(-1), pen.theme.selection, 2);
    }
    if (load == loads.bytes.end() || pen.scene.accessible().size() >= kMostSaid) continue;
    pen.accessible(r, id,
                   say("device {}, {}, {}", device_name(mesh, d), name,
                       format_bytes(static_cast<double>(load->second))));
  }
}

}  // namespace

void draw_ring_matrix(Pen& pen, const ViewInput& input, const Selection& selection, const Rect& area) {
  LaneLoads loads;
  for (const Travel& travel : travels_at(input, selection.time, kMostAsked)) {
    int64_t& load = loads.bytes[{travel.hop.lane, travel.hop.device}];
    load += travel.hop.bytes;
    loads.most = std::max(loads.most, load);
  }
  loads.most = load_scale(input, loads.most);
  std::vector<int> lanes;
  for (size_t l = 0; l < input.trace.lanes().size(); ++l) {
    const LaneKind kind = input.trace.lanes()[l].kind;
    if (kind == LaneKind::link || kind == LaneKind::port) lanes.push_back(static_cast<int>(l));
  }
  if (lanes.empty()) return;
  const float foot = pen.px(22);
  const MeshPlaces places = mesh_places(input.run.program.mesh);
  const auto count = static_cast<float>(lanes.size());
  const float gap = pen.px(16);
  // As many side by side as make them largest.
  float columns = 1;
  float best = 0;
  for (float c = 1; c <= count; ++c) {
    const float w = (area.w - gap * (c - 1)) / c / places.columns;
    const float h = ((area.h - foot) / std::ceil(count / c) - pen.px(28)) / places.rows;
    if (std::min(w, h) > best) best = std::min(w, h), columns = c;
  }
  const float w = (area.w - gap * (columns - 1)) / columns;
  const float h = (area.h - foot) / std::ceil(count / columns);
  for (size_t i = 0; i < lanes.size(); ++i) {
    const auto column = static_cast<float>(i % static_cast<size_t>(columns));
    const auto row = static_cast<float>(i / static_cast<size_t>(columns));
    draw_lane(pen, input, selection, lanes[i], loads,
              {area.x + column * (w + gap), area.y + row * h, w, h - pen.px(8)});
  }
  const Rect below{area.x, area.bottom() - foot, area.w, foot};
  draw_load_legend(pen, loads.most, below);
  const std::string shown = input.trace.devices() > kMostAsked
                                ? say("the first {} of {} devices", kMostAsked, input.trace.devices())
                                : say("{}, a square each", counted(input.trace.devices(), "device"));
  pen.text({below.right(), below.y + foot / 2}, shown, {pen.theme.muted_text, 0.85F, Align::right});
}

}  // namespace shardscope::inline views
