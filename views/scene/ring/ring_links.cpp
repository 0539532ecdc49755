// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/ring/ring_parts.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/found_once.h"

namespace shardscope::inline views {
namespace {

// The bytes beside a straight link, where they touch neither chips nor boxes nor wrap links.
void draw_bytes(Pen& pen, const RingContext& c, const RingWay& way, int64_t bytes) {
  if (way.bent() || way.lines[0].size() != 2) return;
  const Point a = way.lines[0][0];
  const Point b = way.lines[0][1];
  const std::string text = format_bytes(static_cast<double>(bytes));
  constexpr float kSize = 0.77F;
  const float width = pen.width(text, kSize);
  const float line = pen.text_px(kSize) * 1.25F;
  const Point chip = c.places.chip();
  const Point middle = way.at(0.5);
  const float run =
      std::hypot(way.runs[0].second.x - way.runs[0].first.x, way.runs[0].second.y - way.runs[0].first.y);
  if (std::abs(b.y - a.y) < 1) {
    const float side = b.x > a.x ? 1.0F : -1.0F;
    if (width > run + chip.x || 1.5F * chip.y + line + 2.5F > c.places.beside()) return;
    pen.text({middle.x, middle.y + side * (chip.y / 2 + 1 + line / 2)}, text,
             {pen.theme.muted_text, kSize, Align::center});
  } else if (std::abs(b.x - a.x) < 1) {
    const bool left = b.y > a.y;
    const float off = chip.x / 2 + 3;
    const float room = c.places.room(left) - chip.x / 2 - 1.5F - off;
    if (width > room || line > run + chip.y) return;
    pen.text({middle.x + (left ? -off : off), middle.y}, text,
             {pen.theme.muted_text, kSize, left ? Align::right : Align::left});
  }
}

void add_lines(Pen& pen, const RingWay& way, Color color, float width, int32_t id, bool arrow) {
  for (size_t i = 0; i < way.lines.size(); ++i)
    pen.scene.add(LineItem{way.lines[i], color, width, false, arrow && i + 1 == way.lines.size(), id});
}

}  // namespace

int32_t link_end(const ViewInput& input, const Fabric& fabric, const Event& hop, int* axis) {
  const Lane& lane = input.trace.lanes()[static_cast<size_t>(hop.lane)];
  *axis = lane.kind == LaneKind::link ? lane.axis : -1;
  if (lane.kind != LaneKind::link || lane.axis < 0 || lane.axis >= input.run.program.mesh.rank())
    return hop.peer;
  if (const auto next = fabric.neighbour(hop.device, lane.axis, lane.direction)) return *next;
  // An axis of two has one link each way; both lanes lead to the other one.
  return fabric.neighbour(hop.device, lane.axis, -lane.direction).value_or(hop.peer);
}

LinkLoads link_loads(const RingContext& c) {
  LinkLoads out;
  for (const Travel& travel : c.travels) {
    if (travel.waits) continue;
    int axis = -1;
    const int32_t to = link_end(c.input, c.places.fabric(), travel.hop, &axis);
    LinkTraffic& load = out[{travel.hop.device, travel.hop.lane, to}];
    load.to = to;
    load.axis = axis;
    load.bytes += travel.hop.bytes;
  }
  return out;
}

int64_t load_scale(const ViewInput& input, int64_t now) {
  return input.story == nullptr || now == 0 ? now : std::max(now, most_load(input));
}

Color load_color(const Theme& theme, double part) {
  return cividis(theme.dark ? 0.45 + 0.55 * part : 0.75 * (1 - part));
}

namespace {

constexpr int kLegendParts = 16;

std::string least_load() {
  return said("link load 0");
}

}  // namespace

float load_legend_width(const Pen& pen, int64_t most) {
  if (!pen.theme.presented()) return pen.px(206);
  return pen.width(least_load(), 0.85F) + pen.px(13) + pen.px(5) * kLegendParts +
         pen.width(format_bytes(static_cast<double>(most)), 0.85F);
}

void draw_load_legend(Pen& pen, int64_t most, const Rect& area) {
  if (most == 0) return;
  const std::string from = least_load();
  const std::string to = format_bytes(static_cast<double>(most));
  float x = area.x;
  const float y = area.y + area.h / 2;
  pen.text({x, y}, from, {pen.theme.muted_text, 0.85F, Align::left});
  x += pen.width(from, 0.85F) + pen.px(6);
  for (int i = 0; i < kLegendParts; ++i) {
    pen.rect({x, y - pen.px(5), pen.px(5) + 1, pen.px(10)},
             load_color(pen.theme, static_cast<double>(i) / (kLegendParts - 1)));
    x += pen.px(5);
  }
  pen.text({x + pen.px(7), y}, to, {pen.theme.muted_text, 0.85F, Align::left});
}

void draw_ring_links(Pen& pen, const RingContext& c) {
  const Mesh& mesh = c.input.run.program.mesh;
  const float width = c.places.overview() ? 1.0F : 1.5F;
  for (int32_t d = 0; d < mesh.device_count(); ++d) {
    for (int axis = 0; axis < mesh.rank(); ++axis) {
      const auto up = c.places.fabric().neighbour(d, axis, 1);
      if (!up || *up == d) continue;
      add_lines(pen, c.places.way(d, *up, axis, RingPlaces::Lane::middle), pen.theme.rule, width, -1, false);
    }
  }
}

void draw_ring_loads(Pen& pen, const RingContext& c, const LinkLoads& loads) {
  const Mesh& mesh = c.input.run.program.mesh;
  const bool overview = c.places.overview();
  int64_t most = 1;
  for (const auto& [key, load] : loads) most = std::max(most, load.bytes);
  most = load_scale(c.input, most);
  for (const auto& [key, load] : loads) {
    const auto [from, lane, to] = key;
    if (to < 0 || to == from) continue;
    ItemId item;
    item.kind = ItemId::Kind::link;
    item.device = from;
    item.lane = lane;
    item.index = to;
    const int32_t id = pen.id(item);
    const RingWay way = c.places.way(from, to, load.axis, RingPlaces::Lane::own);
    const double part = static_cast<double>(load.bytes) / static_cast<double>(most);
    add_lines(pen, way, load_color(pen.theme, part),
              overview ? 1.5F : 1.25F + 1.5F * static_cast<float>(part), id, !overview);
    if (!overview) draw_bytes(pen, c, way, load.bytes);
    const Point middle = way.at(way.bent() ? 0.25 : 0.5);
    pen.accessible({middle.x - 4, middle.y - 4, 8, 8}, id,
                   say("link {} → {}, {}, {}", device_name(mesh, from), device_name(mesh, to),
                       lane_name(c.input, lane), format_bytes(static_cast<double>(load.bytes))));
  }
}

}  // namespace shardscope::inline views
