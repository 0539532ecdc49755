// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/core/legend.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/found_once.h"
#include "views/scene/story/range_sums.h"
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kMostThread =
    3000;  // events of the critical path drawn as one thread; more as marks on their lanes

Rect strip_of(const TimelineContext& c, int32_t device, int lane) {
  return c.rows.strip(c.frame, c.viewport.scroll_y, device, lane);
}

float clamped_x(const TimelineContext& c, Picoseconds t) {
  return std::clamp(c.frame.axis.x_of(t), c.frame.plot.x - 4, c.frame.plot.right() + 4);
}

// Of the rows that are in sight.
std::vector<int32_t> seen_devices(const TimelineContext& c) {
  std::vector<int32_t> out;
  for (const auto& [first, last] : c.rows.visible(c.frame, c.viewport.scroll_y))
    for (size_t r = first; r < last; ++r)
      if (c.rows.rows[r].shown >= 0) out.push_back(c.rows.rows[r].shown);
  return out;
}

void mark_critical(Pen& pen, Point from, Point to) {
  pen.mark(Mark::critical, {from.x, from.y - 1, std::max(1.0F, to.x - from.x), 2});
}

// Too many events for a thread from lane to lane: a line under every merged bin that holds one of them.
void mark_critical_bins(Pen& pen, const TimelineContext& c) {
  const int pixels = lane_pixels(c.frame, seen_devices(c).size() * c.rows.strips.size());
  pen.scene.push_clip(c.frame.plot);
  for (const int32_t device : seen_devices(c)) {
    for (const LaneStrip& strip : c.rows.strips) {
      const Rect box = strip_of(c, device, strip.lane);
      const auto bins = c.input.trace.bins(DeviceId(device), strip.lane, c.frame.axis.range, pixels);
      if (!bins.ok()) continue;
      const float y = box.bottom() + pen.px(1.5F);
      LineItem line{{}, pen.theme.critical, 2, false, false, -1};
      const auto end = [&] {
        if (line.points.size() == 2) {
          pen.scene.add(line);
          mark_critical(pen, line.points.front(), line.points.back());
        }
        line.points.clear();
      };
      for (const LaneBin& bin : *bins) {
        if (!bin.critical) continue;
        const float from = clamped_x(c, bin.range.start);
        const float to = std::max(from + 1, clamped_x(c, bin.range.end));
        if (!line.points.empty() && from - line.points.back().x > 2) end();
        if (line.points.empty()) line.points = {{from, y}, {to, y}};
        line.points.back().x = to;
      }
      end();
    }
  }
  pen.scene.pop_clip();
}

}  // namespace

void draw_critical_path(Pen& pen, const TimelineContext& c) {
  const auto path = c.input.trace.critical_path();
  if (!path.ok() || path->empty()) return;
  const TimeRange range = c.frame.axis.range;
  // The path is in time order: its visible part is one stretch.
  const auto starts_before = [&](int32_t number, Picoseconds t) {
    const auto event = find_event(c.input, number);
    return event && event->end < t;
  };
  auto first = std::lower_bound(path->begin(), path->end(), range.start, starts_before);
  LineItem thread;
  size_t count = 0;
  for (; first != path->end() && count < kMostThread; ++first, ++count) {
    const auto event = find_event(c.input, *first);
    if (!event || event->start > range.end) break;
    const Rect strip = strip_of(c, event->device, event->lane);
    if (strip.h <= 0) continue;
    const float y = strip.bottom() + pen.px(1.5F);
    thread.points.push_back({clamped_x(c, event->start), y});
    thread.points.push_back({clamped_x(c, event->end), y});
  }
  if (count >= kMostThread) return mark_critical_bins(pen, c);
  if (thread.points.size() < 2) return;
  pen.scene.push_clip(c.frame.plot);
  thread.width = 4.5F;
  thread.color = pen.theme.background;
  pen.scene.add(thread);
  thread.width = 2;
  thread.color = pen.theme.critical;
  pen.scene.add(thread);
  for (size_t i = 1; i < thread.points.size(); i += 2)
    mark_critical(pen, thread.points[i - 1], thread.points[i]);
  pen.scene.pop_clip();
}

void draw_timeline_range(Pen& pen, const TimelineContext& c) {
  if (!c.selection.range || c.selection.range->length() <= 0) return;
  const TimeRange range = *c.selection.range;
  const float x0 = std::clamp(c.frame.axis.x_of(range.start), c.frame.plot.x, c.frame.plot.right());
  const float x1 = std::clamp(c.frame.axis.x_of(range.end), c.frame.plot.x, c.frame.plot.right());
  if (x1 > x0) {
    const float top = c.frame.ruler.h > 0 ? c.frame.ruler.y : c.frame.plot.y;
    pen.rect({x0, top, x1 - x0, c.frame.plot.bottom() - top}, with_alpha(pen.theme.selection, 0.12));
    for (const float x : {x0, x1}) pen.line({x, top}, {x, c.frame.plot.bottom()}, pen.theme.selection);
  }
  if (c.frame.summary.h <= 0) return;
  const int32_t device = focus_device(c.input, c.selection);
  const DeviceSums sums = device_sums(c.input, device, range);
  const char* about = sums.approximate ? "≈ " : "";
  const std::string text =
      fmt::format("{} on {}: {}busy {}, exposed {}, idle {}, sent {}", format_picoseconds(range.length()),
                  device_name(c.input.run.mesh, device), about, format_picoseconds(sums.compute),
                  format_picoseconds(sums.exposed), format_picoseconds(sums.idle),
                  format_bytes(static_cast<double>(sums.bytes_sent)));
  pen.rect({c.frame.area.x, c.frame.summary.y, c.frame.area.w, c.frame.summary.h}, pen.theme.panel);
  pen.text({c.frame.area.x + pen.px(8), c.frame.summary.y + c.frame.summary.h / 2},
           pen.elided(text, c.frame.area.w - pen.px(16)), {pen.theme.text, 1, Align::left});
  pen.accessible(c.frame.summary, -1, "selected range: " + text);
}

void draw_minimap(Pen& pen, const TimelineContext& c) {
  const Rect& m = c.frame.minimap;
  const auto shown = std::ranges::find_if(c.rows.rows, [](const DeviceRow& r) { return r.shown >= 0; });
  if (m.h <= 0 || shown == c.rows.rows.end()) return;
  const Rect box{m.x, m.y + pen.px(4), m.w, m.h - pen.px(6)};
  pen.rect(box, pen.theme.panel);
  const TimeAxis whole{m.x, m.w, {0, std::max<Picoseconds>(1, c.input.trace.total())}};
  const int32_t device = shown->shown;
  const int pixels = std::max(1, static_cast<int>(m.w / 4));
  const std::vector<Lane>& lanes = c.input.trace.lanes();
  for (const LaneStrip& strip : c.rows.strips) {
    const auto bins = c.input.trace.bins(DeviceId(device), strip.lane, whole.range, pixels);
    if (!bins.ok()) continue;
    const Lane& lane = lanes[static_cast<size_t>(strip.lane)];
    const bool compute = lane.kind == LaneKind::compute;
    const float half = box.h / 2;
    for (const LaneBin& bin : *bins) {
      const float x = whole.x_of(bin.range.start);
      pen.rect(
          {x, compute ? box.y + 1 : box.y + half, std::max(1.0F, whole.x_of(bin.range.end) - x), half - 2},
          compute ? pen.theme.compute : axis_color(pen.theme, lane.axis, lane.direction));
    }
  }
  const float x0 = whole.x_of(c.frame.axis.range.start);
  const float x1 = std::max(x0 + 3, whole.x_of(c.frame.axis.range.end));
  ItemId item;
  item.kind = ItemId::Kind::handle;
  item.index = 0;
  const Rect window{x0, box.y - 1, x1 - x0, box.h + 2};
  const int32_t id = pen.id(item);
  pen.outline(window, pen.theme.selection, 2, id);
  pen.accessible(window, id, "visible part of the run");
  pen.text({c.frame.labels.right() - pen.px(6), box.y + box.h / 2}, "whole run",
           {pen.theme.muted_text, 0.85F, Align::right});
}

namespace {

// "+3 devices below": of rows that the picture has not room for. Gives where it begins.
float draw_rows_below(Pen& pen, const TimelineContext& c) {
  const float right = c.frame.area.right() - pen.px(4);
  if (c.rows.strips.empty()) return right;
  float lowest = 0;
  for (const LaneStrip& strip : c.rows.strips) lowest = std::max(lowest, strip.y + strip.h);
  size_t below = 0;
  for (const DeviceRow& row : c.rows.rows) {
    const float bottom = c.frame.plot.y + row.y + lowest - c.viewport.scroll_y;
    if (bottom > c.frame.plot.bottom() + 1) below += row.devices.size();
  }
  if (below == 0) return right;
  const std::string more = say("+{} below: scroll", counted(below, "device"));
  const Rect& l = c.frame.legend;
  const float left = right - pen.width(more, 0.85F);
  pen.text({right, l.y + l.h / 2}, more, {pen.theme.warning, 0.85F, Align::right});
  pen.accessible({left, l.y, right - left, l.h}, -1, more);
  return left - pen.px(12);
}

LegendEntry lane_sign(const Theme& theme, const Lane& lane, int32_t number) {
  LegendEntry out{Mark::lane, number, {lane.name}};
  out.sample.fill = lane_color(theme, lane);
  return out;
}

std::vector<LegendEntry> timeline_signs(const Theme& theme, const TimelineContext& c) {
  std::vector<LegendEntry> out;
  const std::vector<Lane>& lanes = c.input.trace.lanes();
  for (size_t l = 0; l < lanes.size(); ++l)
    out.push_back(lane_sign(theme, lanes[l], static_cast<int32_t>(l)));
  LegendEntry exposed{Mark::exposed, 0, {said("exposed communication"), said("exposed")}};
  exposed.sample.fill = mixed(theme.background, axis_color(theme, 0, 1), 0.6);
  exposed.sample.pattern = Pattern::stripes;
  exposed.sample.pattern_color = theme.exposed;
  LegendEntry critical{Mark::critical, 0, {said("critical path"), said("critical")}};
  critical.stroke = {{{0, 0}}, theme.critical, 2, false, false, -1};
  LegendEntry merged{Mark::merged, 0, {said("merged events"), said("merged")}};
  merged.sample.fill = mixed(theme.background, theme.compute, 0.7);
  merged.sample.pattern = Pattern::zigzag;
  merged.sample.pattern_color = text_on(theme, merged.sample.fill);
  for (const LegendEntry& sign : {exposed, critical, merged}) out.push_back(sign);
  return out;
}

}  // namespace

float legend_height(const ViewInput& input, float width, const Pen& pen) {
  if (!pen.theme.presented()) return pen.px(24);
  const TimelineViewport viewport;
  const Selection selection;
  const TimelineFrame frame;
  const TimelineRows rows;
  auto signs = timeline_signs(pen.theme, {input, viewport, selection, frame, rows});
  const std::vector<bool>& used = equal_devices(input).used;
  std::erase_if(signs, [&](const LegendEntry& sign) {
    if (sign.mark == Mark::merged) return true;
    if (sign.mark != Mark::lane) return false;
    const auto lane = static_cast<size_t>(sign.index);
    return !used[lane] && input.trace.lanes()[lane].kind != LaneKind::compute;
  });
  return legend_lines_height(pen, signs, width - pen.px(16));
}

void draw_timeline_legend(Pen& pen, const TimelineContext& c) {
  const Rect& l = c.frame.legend;
  if (l.h <= 0) return;
  const float left = c.frame.area.x + pen.px(8);
  const float end = draw_rows_below(pen, c);
  const auto signs = marked(pen, timeline_signs(pen.theme, c));
  if (pen.theme.presented() && end >= c.frame.area.right() - pen.px(4))
    return draw_legend_lines(pen, signs, {left, l.y, c.frame.area.w - pen.px(16), l.h});
  draw_legend_line(pen, signs, {left, l.y, end - left, l.h});
}

}  // namespace shardscope::inline views
