// SPDX-License-Identifier: Apache-2.0
#include "views/scene/timeline/timeline_frame.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardscope::inline views {
namespace {

constexpr int32_t kManyDevices = 32;  // from here on they are counted

float label_width(const ViewInput& input, const Pen& pen) {
  const int32_t devices = input.trace.devices();
  float name = pen.width(device_name(input.run.mesh, std::max(0, devices - 1)), 1, Face::bold);
  if (devices > 1) name = std::max(name, pen.width(fmt::format("≈ ×{} same", devices), 0.85F));
  if (devices >= kManyDevices) name = std::max(name, pen.width(fmt::format("{} devices", devices), 0.85F));
  float lane = 0;
  for (const Lane& l : input.trace.lanes()) lane = std::max(lane, pen.width(l.name, 0.85F));
  return pen.px(8) + name + pen.px(10) + lane + pen.px(8);
}

}  // namespace

bool shows_counts(const ViewInput& input, const RowChoice& choice) {
  return choice.counts.value_or(input.trace.devices() >= kManyDevices) && input.trace.total() > 0;
}

TimeRange visible_range(const TimelineViewport& viewport, Picoseconds total) {
  if (viewport.range.length() > 0) return viewport.range;
  return {0, std::max<Picoseconds>(1, total)};
}

TimelineFrame timeline_frame(const ViewInput& input, TimeRange range, const Rect& area, TimelineParts parts,
                             const Pen& pen) {
  TimelineFrame f;
  f.area = area;
  const float left = std::min(label_width(input, pen), area.w * 0.45F);
  const float width = std::max(1.0F, area.w - left - pen.px(8));
  float y = area.y;
  const auto strip = [&](float h) {
    const Rect r{area.x + left, y, width, h};
    y += h;
    return r;
  };
  f.ruler = strip(parts.top ? pen.px(22) : 0);
  f.beats = strip(parts.top ? pen.px(18) : 0);
  f.layers = strip(parts.top ? pen.px(18) * static_cast<float>(layer_lines(input)) : 0);
  f.counts = strip(parts.counts ? std::min(pen.px(44), area.h * 0.2F) : 0);
  float below = area.bottom();
  const auto lower = [&](float h) {
    below -= h;
    return Rect{area.x + left, below, width, h};
  };
  const bool zoomed = range.length() < input.trace.total() * 99 / 100;
  f.legend = lower(parts.bottom ? legend_height(input, area.w, pen) : 0);
  f.minimap = lower(parts.bottom && zoomed ? pen.px(24) : 0);
  f.summary = lower(parts.summary ? pen.px(22) : 0);
  f.plot = {area.x + left, y, width, std::max(0.0F, below - y)};
  f.labels = {area.x, y, left, f.plot.h};
  f.axis = {f.plot.x, f.plot.w, range};
  return f;
}

TimeAxis timeline_axis(const ViewInput& input, const TimelineViewport& viewport, const Canvas& canvas) {
  Scene unused;
  const Pen pen(unused, canvas);
  return timeline_frame(input, visible_range(viewport, input.trace.total()),
                        {0, 0, canvas.width, canvas.height}, {}, pen)
      .axis;
}

float timeline_content_height(const ViewInput& input, const TimelineViewport& viewport,
                              const Canvas& canvas) {
  const TimelinePlaces places = timeline_places(input, viewport, canvas);
  return canvas.height - places.scrolled.h + places.content;
}

TimelinePlaces timeline_places(const ViewInput& input, const TimelineViewport& viewport,
                               const Canvas& canvas) {
  Scene unused;
  const Pen pen(unused, canvas);
  TimelineParts parts;
  parts.counts = shows_counts(input, viewport.rows);
  const TimelineFrame f = timeline_frame(input, visible_range(viewport, input.trace.total()),
                                         {0, 0, canvas.width, canvas.height}, parts, pen);
  const TimelineRows rows = timeline_rows(input, viewport, f.plot.h, pen);
  Rect scrolled = f.plot;
  scrolled.y += rows.pinned_height;
  scrolled.h = std::max(0.0F, scrolled.h - rows.pinned_height);
  return {f.labels, scrolled, rows.height - rows.pinned_height, rows.row_height};
}

}  // namespace shardscope::inline views
