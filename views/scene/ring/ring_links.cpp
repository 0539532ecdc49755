// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "views/scene/ring/ring_parts.h"
#include "views/scene/story/event_text.h"

namespace shardscope {
namespace {

float lane_side(const Pen& pen, const RingContext& c) {
  return c.places.crowded() ? 0 : c.places.chunk_radius() + pen.px(1.5F);
}

// Cividis read from its darker end on white and its brighter end on black keeps every load visible.
Color load_color(const Theme& theme, double part) {
  return cividis(theme.dark ? 0.45 + 0.55 * part : 0.75 * (1 - part));
}

// The bytes beside a straight link, where they touch neither chunks nor devices.
void draw_bytes(Pen& pen, const RingContext& c, const std::vector<Point>& way, const LinkTraffic& load,
                int32_t from) {
  if (c.places.curved(from, load.to, load.axis) || way.size() != 2) return;
  const std::string text = format_bytes(static_cast<double>(load.bytes));
  constexpr float kSize = 0.77F;
  const float width = pen.width(text, kSize);
  const float line = pen.text_px(kSize) * 1.25F;
  const float off = c.places.chunk_radius() + pen.px(2);
  const bool across = std::abs(way[1].x - way[0].x) > std::abs(way[1].y - way[0].y);
  const Point middle{(way[0].x + way[1].x) / 2, (way[0].y + way[1].y) / 2};
  const Rect box = c.places.box(from);
  if (across) {
    if (width > std::abs(way[1].x - way[0].x) + pen.px(2)) return;
    const bool below = way[1].x > way[0].x;
    if (lane_side(pen, c) + off + line > box.h / 2 + pen.px(8)) return;
    pen.text({middle.x, middle.y + (below ? off + line / 2 : -off - line / 2)}, text,
             {pen.theme.muted_text, kSize, Align::center});
    return;
  }
  const bool left = way[1].y > way[0].y;
  const float room = box.w / 2 + c.places.gap().x / 2 - lane_side(pen, c) - off;
  if (width + pen.px(8) > room || line > std::abs(way[1].y - way[0].y)) return;
  pen.text({middle.x + (left ? -off : off), middle.y}, text,
           {pen.theme.muted_text, kSize, left ? Align::right : Align::left});
}

// Of a link that curves round a crowded row or column: its two ends, pointing out.
void draw_stubs(Pen& pen, const std::vector<Point>& way, Color color, float width, int32_t id) {
  const size_t part = 1;
  pen.scene.add(
      LineItem{{way.begin(), way.begin() + static_cast<long>(part) + 1}, color, width, false, false, id});
  pen.scene.add(
      LineItem{{way.end() - static_cast<long>(part) - 1, way.end()}, color, width, false, false, id});
}

// One chunk a link: the one under way, else the last that came, else the first that will.
std::vector<Event> shown_hops(const RingContext& c, Picoseconds now) {
  std::map<std::tuple<int32_t, int, int32_t>, const Event*> by_link;
  for (const Event& hop : c.step->hops) {
    int axis = -1;
    const Event*& shown = by_link[{hop.device, hop.lane, link_end(c, hop, &axis)}];
    if (shown == nullptr || (hop.start <= now && hop.start > shown->start) ||
        (shown->start > now && hop.start < shown->start))
      shown = &hop;
  }
  std::vector<Event> out;
  for (const auto& [link, hop] : by_link) out.push_back(*hop);
  return out;
}

}  // namespace

int32_t link_end(const RingContext& c, const Event& hop, int* axis) {
  const Lane& lane = c.input.trace.lanes()[static_cast<size_t>(hop.lane)];
  *axis = lane.kind == LaneKind::link ? lane.axis : -1;
  if (lane.kind != LaneKind::link || lane.axis < 0 || lane.axis >= c.input.run.program.mesh.rank())
    return hop.peer;
  const Fabric& fabric = c.places.fabric();
  if (const auto next = fabric.neighbour(hop.device, lane.axis, lane.direction)) return *next;
  // An axis of two has one link each way; both lanes lead to the other one.
  return fabric.neighbour(hop.device, lane.axis, -lane.direction).value_or(hop.peer);
}

LinkLoads link_loads(const RingContext& c) {
  LinkLoads out;
  if (!c.step) return out;
  for (const Event& hop : c.step->hops) {
    int axis = -1;
    const int32_t to = link_end(c, hop, &axis);
    LinkTraffic& load = out[{hop.device, hop.lane, to}];
    load.to = to;
    load.axis = axis;
    load.bytes += hop.bytes;
  }
  return out;
}

void draw_ring_links(Pen& pen, const RingContext& c) {
  const Mesh& mesh = c.input.run.program.mesh;
  for (int32_t d = 0; d < mesh.device_count(); ++d) {
    for (int axis = 0; axis < mesh.rank(); ++axis) {
      const auto up = c.places.fabric().neighbour(d, axis, 1);
      if (!up || *up == d) continue;
      const int32_t next = *up;
      const std::vector<Point> way = c.places.way(d, next, axis, 0);
      const float width = c.places.crowded() ? 1.0F : 2.0F;
      if (c.places.crowded() && c.places.curved(d, next, axis))
        draw_stubs(pen, way, pen.theme.rule, width, -1);
      else
        pen.scene.add(LineItem{way, pen.theme.rule, width, false, false, -1});
    }
  }
}

void draw_ring_loads(Pen& pen, const RingContext& c, const LinkLoads& loads) {
  const Mesh& mesh = c.input.run.program.mesh;
  const bool crowded = c.places.crowded();
  int64_t most = 1;
  for (const auto& [key, load] : loads) most = std::max(most, load.bytes);
  for (const auto& [key, load] : loads) {
    const auto [from, lane, to] = key;
    if (to < 0 || to == from) continue;
    ItemId item;
    item.kind = ItemId::Kind::link;
    item.device = from;
    item.lane = lane;
    item.index = to;
    const int32_t id = pen.id(item);
    const std::vector<Point> way = c.places.way(from, to, load.axis, lane_side(pen, c));
    const double part = static_cast<double>(load.bytes) / static_cast<double>(most);
    const Color color = load_color(pen.theme, part);
    const float width = crowded ? 1.5F : 1.5F + 2 * static_cast<float>(part);
    if (crowded && c.places.curved(from, to, load.axis))
      draw_stubs(pen, way, color, width, id);
    else
      pen.scene.add(LineItem{way, color, width, false, !crowded, id});
    if (!crowded) draw_bytes(pen, c, way, load, from);
    const Point middle = along(way, 0.5);
    pen.accessible({middle.x - 4, middle.y - 4, 8, 8}, id,
                   fmt::format("link {} → {}, {}, {}", device_name(mesh, from), device_name(mesh, to),
                               lane_name(c.input, lane), format_bytes(static_cast<double>(load.bytes))));
  }
}

void draw_ring_chunks(Pen& pen, const RingContext& c) {
  if (!c.step) return;
  const float radius = c.places.crowded() ? std::max(1.5F, c.places.chunk_radius()) : c.places.chunk_radius();
  if (radius < 1.5F) return;
  const Picoseconds now = c.selection.time;
  const Mesh& mesh = c.input.run.program.mesh;
  for (const Event& hop : shown_hops(c, now)) {
    int axis = -1;
    const int32_t to = link_end(c, hop, &axis);
    if (to < 0 || to == hop.device) continue;
    if (c.places.crowded() && c.places.curved(hop.device, to, axis)) continue;
    const double length = static_cast<double>(std::max<Picoseconds>(1, hop.end - hop.start));
    const double part = std::clamp(static_cast<double>(now - hop.start) / length, 0.0, 1.0);
    const std::vector<Point> way = c.places.way(hop.device, to, axis, lane_side(pen, c));
    float whole = 0;
    for (size_t i = 1; i < way.size(); ++i)
      whole += std::hypot(way[i].x - way[i - 1].x, way[i].y - way[i - 1].y);
    // It stays on the link, clear of both devices and of the arrow's head, also before it leaves and once it
    // has arrived.
    const double first = std::min(0.5, (radius + 2.0) / std::max(1.0F, whole));
    const double last =
        std::max(0.5, 1 - (radius + (c.places.crowded() ? 2.0 : 9.0)) / std::max(1.0F, whole));
    const Point at = along(way, first + (last - first) * part);
    ItemId item;
    item.kind = ItemId::Kind::chunk;
    item.device = hop.device;
    item.instruction = hop.instruction;
    item.lane = hop.lane;
    item.index = hop.chunk;
    const int32_t id = pen.id(item);
    const CarriedWords carried = c.carried.of(hop);
    const Color fill = device_look(pen.theme, mesh, carried.owner).fill;
    pen.scene.add(CircleItem{at, radius, fill, pen.theme.text, c.places.crowded() ? 0.5F : 1.5F, id});
    const std::string number = carried.label.substr(0, carried.label.find(' '));
    for (const float size : {0.85F, 0.7F}) {
      if (c.places.crowded() || pen.width(number, size, Face::bold) > 2 * radius - 1 ||
          pen.text_px(size) > 2 * radius)
        continue;
      pen.text(at, number, {text_on(pen.theme, fill), size, Align::center, Face::bold});
      break;
    }
    pen.accessible({at.x - radius, at.y - radius, 2 * radius, 2 * radius}, id,
                   fmt::format("{} {} → {}, {}", carried.text, device_name(mesh, hop.device),
                               device_name(mesh, hop.peer), format_bytes(static_cast<double>(hop.bytes))));
  }
}

}  // namespace shardscope
