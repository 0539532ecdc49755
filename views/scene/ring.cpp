// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "views/scene/blocks.h"
#include "views/scene/event_text.h"
#include "views/scene/holdings_now.h"
#include "views/scene/ring_places.h"
#include "views/scene/ring_table.h"
#include "views/scene/step_transfers.h"

namespace shardscope {
namespace {

struct RingContext {
  const ViewInput& input;
  const Selection& selection;
  const RingPlaces& places;
  const std::optional<StepTransfers>& step;
};

// The device that a transfer's first (or further) link leads to.
int32_t link_end(const RingContext& c, const Event& hop, int* axis) {
  const Lane& lane = c.input.trace.lanes()[static_cast<size_t>(hop.lane)];
  *axis = lane.kind == LaneKind::link ? lane.axis : -1;
  if (lane.kind != LaneKind::link || lane.axis < 0 || lane.axis >= c.input.run.program.mesh.rank())
    return hop.peer;
  const int32_t next = c.places.neighbour(hop.device, lane.axis, lane.direction);
  if (next >= 0) return next;
  // An axis of two has one link each way; both lanes lead to the other one.
  const int32_t other = c.places.neighbour(hop.device, lane.axis, -lane.direction);
  return other >= 0 ? other : hop.peer;
}

void draw_links(Pen& pen, const RingContext& c) {
  const Mesh& mesh = c.input.run.program.mesh;
  for (int32_t d = 0; d < mesh.device_count(); ++d) {
    for (int axis = 0; axis < mesh.rank(); ++axis) {
      const int32_t next = c.places.neighbour(d, axis, 1);
      if (next < 0 || next == d) continue;
      pen.scene.add(LineItem{c.places.way(d, next, axis, 0), pen.theme.rule, 2, false, false, -1});
    }
  }
}

// Chunks of the two directions pass each other without touching.
float chunk_radius(const Pen& pen, const RingContext& c) {
  return std::clamp(c.places.radius() * 0.36F, pen.px(3), pen.px(12));
}
float lane_side(const Pen& pen, const RingContext& c) {
  return chunk_radius(pen, c) + pen.px(1.5F);
}

struct LinkLoad {
  int64_t bytes = 0;
  int32_t to = -1;
  int axis = -1;
};

std::map<std::pair<int32_t, int>, LinkLoad> loads(const RingContext& c) {
  std::map<std::pair<int32_t, int>, LinkLoad> out;
  for (const Event& hop : c.step->hops) {
    LinkLoad& load = out[{hop.device, hop.lane}];
    load.to = link_end(c, hop, &load.axis);
    load.bytes += hop.bytes;
  }
  return out;
}

void draw_loads(Pen& pen, const RingContext& c, const std::map<std::pair<int32_t, int>, LinkLoad>& all) {
  const Mesh& mesh = c.input.run.program.mesh;
  int64_t most = 1;
  for (const auto& [key, load] : all) most = std::max(most, load.bytes);
  for (const auto& [key, load] : all) {
    if (load.to < 0 || load.to == key.first) continue;
    ItemId item;
    item.kind = ItemId::Kind::link;
    item.device = key.first;
    item.lane = key.second;
    item.index = load.to;
    const int32_t id = pen.id(item);
    const std::vector<Point> way = c.places.way(key.first, load.to, load.axis, lane_side(pen, c));
    const double part = static_cast<double>(load.bytes) / static_cast<double>(most);
    // Cividis read from its darker end on white and its brighter end on black keeps every load visible.
    const Color color = cividis(pen.theme.dark ? 0.45 + 0.55 * part : 0.75 * (1 - part));
    pen.scene.add(LineItem{way, color, 1.5F + 2 * static_cast<float>(part), false, true, id});
    const Point middle = along(way, 0.5);
    const std::string bytes = format_bytes(static_cast<double>(load.bytes));
    pen.accessible({middle.x - 4, middle.y - 4, 8, 8}, id,
                   fmt::format("link {} → {}, {}, {}", device_name(mesh, key.first),
                               device_name(mesh, load.to), lane_name(c.input, key.second), bytes));
  }
}

void draw_chunks(Pen& pen, const RingContext& c) {
  const Picoseconds now = moment(c.input, c.selection);
  const Mesh& mesh = c.input.run.program.mesh;
  const float radius = chunk_radius(pen, c);
  for (const Event& hop : c.step->hops) {
    int axis = -1;
    const int32_t to = link_end(c, hop, &axis);
    if (to < 0 || to == hop.device) continue;
    const double length = static_cast<double>(std::max<Picoseconds>(1, hop.end - hop.start));
    const double part = std::clamp(static_cast<double>(now - hop.start) / length, 0.0, 1.0);
    const std::vector<Point> way = c.places.way(hop.device, to, axis, lane_side(pen, c));
    // It stays on the link, also before it leaves and once it has arrived.
    const Point at = along(way, 0.12 + 0.62 * part);
    ItemId item;
    item.kind = ItemId::Kind::chunk;
    item.device = hop.device;
    item.instruction = hop.instruction;
    item.lane = hop.lane;
    item.index = hop.chunk;
    const int32_t id = pen.id(item);
    const Color fill = device_look(pen.theme, mesh, chunk_owner(c.input, hop)).fill;
    pen.scene.add(CircleItem{at, radius, fill, pen.theme.text, 1.5F, id});
    if (hop.chunk >= 0) {
      const std::string number = std::to_string(hop.chunk);
      if (pen.width(number, 0.85F, true) <= 2 * radius - 2 && radius * 2 >= pen.text_px(0.85F)) {
        pen.text(at, number, {text_on(pen.theme, fill), 0.85F, Align::center, true, false});
      }
    }
    pen.accessible({at.x - radius, at.y - radius, 2 * radius, 2 * radius}, id,
                   fmt::format("{} {} → {}, {}", block_text(hop), device_name(mesh, hop.device),
                               device_name(mesh, hop.peer), format_bytes(static_cast<double>(hop.bytes))));
  }
}

// "a1 a5 w1": whole blocks that the device holds, by array.
std::string held_text(const std::vector<BlockedArray>& arrays, const HoldingsNow& now, int32_t device,
                      int64_t parts) {
  std::string out;
  for (const BlockedArray& a : arrays) {
    if (a.block_count() > 256) continue;
    for (int64_t b = 0; b < a.block_count(); ++b) {
      const BoxCover part = cover(now.devices[static_cast<size_t>(device)], a.info->role, a.box(b));
      if (part.area < 0.999) continue;
      out += (out.empty() ? "" : " ") + a.block_name(b);
      if (part.k_covered < part.k_whole)
        out += fmt::format("({})", partial_text(part.k_covered, part.k_whole, parts));
    }
  }
  return out;
}

void draw_devices(Pen& pen, const RingContext& c) {
  const Mesh& mesh = c.input.run.program.mesh;
  const std::vector<BlockedArray> arrays = blocked_arrays(c.input.run.program);
  const int64_t parts = contraction_parts(arrays);
  const bool roomy = mesh.device_count() <= 256;
  const HoldingsNow now = roomy ? holdings_now(c.input, moment(c.input, c.selection)) : HoldingsNow{};
  for (int32_t d = 0; d < mesh.device_count(); ++d) {
    const Rect box = c.places.box(d);
    ItemId item;
    item.kind = ItemId::Kind::device;
    item.device = d;
    const int32_t id = pen.id(item);
    const DeviceLook look = device_look(pen.theme, mesh, d);
    RectItem ground = look_rect(pen.theme, look, box, id);
    ground.radius = std::min(pen.px(6), box.h / 4);
    const std::string name = device_name(mesh, d);
    float size = pen.theme.demo ? 1.2F : 1;
    if (box.w < pen.width(name, size, true) + pen.px(6)) size = 0.77F;
    const bool named = box.w >= pen.width(name, size, true) + pen.px(6) && box.h >= pen.px(16);
    if (named) ground.pattern = Pattern::none;
    const bool chosen =
        (c.selection.selected.kind == ItemId::Kind::device && c.selection.selected.device == d);
    const bool hovered =
        (c.selection.hovered.kind == ItemId::Kind::device && c.selection.hovered.device == d);
    ground.border = chosen ? pen.theme.selection : hovered ? pen.theme.hover : pen.theme.background;
    ground.border_width = chosen || hovered ? 3 : 1;
    pen.scene.add(ground);
    const std::string held = roomy ? held_text(arrays, now, d, parts) : "";
    pen.accessible(box, id, "device " + name + (held.empty() ? "" : ", holds " + held));
    if (!named) continue;
    const TextStyle style{text_on(pen.theme, look.fill), size, Align::center, true, false};
    const float middle = box.x + box.w / 2;
    const bool two_lines = box.h >= pen.px(36) && !held.empty();
    pen.text({middle, two_lines ? box.y + box.h * 0.3F : box.y + box.h / 2}, name, style);
    if (two_lines) {
      pen.text({middle, box.y + box.h * 0.7F}, pen.elided(held, box.w - pen.px(6), 0.85F),
               {style.color, 0.85F, Align::center, false, false});
    }
  }
}

void draw_title(Pen& pen, const RingContext& c, const Rect& area) {
  std::string title = "no step";
  std::string detail;
  if (c.step) {
    title = step_name(c.step->step);
    if (!c.step->transfers.empty()) {
      const Event& first = c.step->transfers.front();
      title += ": " + instruction_name(c.input, first.instruction);
      detail = fmt::format("{} transfers, {} each, {}", c.step->transfers.size(),
                           format_bytes(static_cast<double>(first.bytes)),
                           format_picoseconds(c.step->step.range.length()));
    } else {
      detail = "nothing travels in this step: devices compute; go on a step to see blocks move";
    }
  } else {
    detail = "the ring shows blocks travelling along links; this program sends nothing";
  }
  pen.text({area.x, area.y + pen.px(10)}, pen.elided(title, area.w, 1, true),
           {pen.theme.text, 1, Align::left, true, false});
  pen.text({area.x, area.y + pen.px(28)}, pen.elided(detail, area.w),
           {pen.theme.muted_text, 1, Align::left, false, false});
  pen.accessible({area.x, area.y, area.w, pen.px(38)}, -1, title + "; " + detail);
}

void draw_load_legend(Pen& pen, const std::map<std::pair<int32_t, int>, LinkLoad>& all, const Rect& area) {
  int64_t most = 0;
  for (const auto& [key, load] : all) most = std::max(most, load.bytes);
  if (most == 0) return;
  const std::string from = "link load 0";
  const std::string to = format_bytes(static_cast<double>(most));
  float x = area.x;
  const float y = area.y + area.h / 2;
  pen.text({x, y}, from, {pen.theme.muted_text, 0.85F, Align::left, false, false});
  x += pen.width(from, 0.85F) + pen.px(6);
  constexpr int kParts = 16;
  for (int i = 0; i < kParts; ++i) {
    const double part = static_cast<double>(i) / (kParts - 1);
    pen.rect({x, y - pen.px(5), pen.px(5) + 1, pen.px(10)},
             cividis(pen.theme.dark ? 0.45 + 0.55 * part : 0.75 * (1 - part)));
    x += pen.px(5);
  }
  pen.text({x + pen.px(7), y}, to, {pen.theme.muted_text, 0.85F, Align::left, false, false});
}

}  // namespace

Scene layout_ring(const ViewInput& input, const RingViewport& viewport, const Selection& selection,
                  const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const Mesh& mesh = input.run.program.mesh;
  if (mesh.device_count() < 2) {
    pen.empty_state("The ring shows blocks travelling between devices",
                    "This mesh has one device: nothing travels.");
    return scene;
  }
  const std::optional<StepTransfers> step = step_transfers(input, selection.step);
  const float margin = pen.px(12);
  const bool table =
      viewport.table && !canvas.theme.demo && step && !step->transfers.empty() && canvas.width >= pen.px(720);
  const float table_width =
      table ? std::min(canvas.width * 0.42F,
                       pen.px(70) + pen.px(56) * static_cast<float>(input.trace.devices()))
            : 0;
  const Rect area{margin, margin + pen.px(40), canvas.width - 2 * margin - (table ? table_width + margin : 0),
                  canvas.height - 2 * margin - pen.px(62)};
  const Rect drawn{area.x + viewport.pan.x, area.y + viewport.pan.y, area.w * std::max(0.1F, viewport.zoom),
                   area.h * std::max(0.1F, viewport.zoom)};
  const RingPlaces places(mesh, drawn, pen);
  const RingContext c{input, selection, places, step};
  draw_title(pen, c, {margin, pen.px(6), area.w, pen.px(40)});
  pen.scene.push_clip({0, area.y - pen.px(4), area.right() + margin, area.h + pen.px(8)});
  draw_links(pen, c);
  std::map<std::pair<int32_t, int>, LinkLoad> all;
  if (step) all = loads(c);
  draw_loads(pen, c, all);
  draw_devices(pen, c);
  if (step) draw_chunks(pen, c);
  pen.scene.pop_clip();
  draw_load_legend(pen, all, {margin, canvas.height - pen.px(24), area.w, pen.px(20)});
  if (table)
    draw_permutation_table(
        pen, input, selection, *step,
        {area.right() + 2 * margin, pen.px(6), table_width - margin, canvas.height - pen.px(16)});
  return scene;
}

}  // namespace shardscope
