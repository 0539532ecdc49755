// SPDX-License-Identifier: Apache-2.0
// A run timed again, with what it was as a ghost behind it.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/study/difference.h"
#include "views/scene/core/legend.h"
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope::inline views {
namespace {

constexpr float kNowShare = 0.62F;  // of a strip: what it was looks out from behind
constexpr float kLeastStrip = 6;    // at base size

struct WhatIfPlaces {
  Rect head;
  TimelineFrame frame;
  TimelineRows rows;
};

WhatIfPlaces places_of(const ViewInput& then, const ViewInput& base, const TimelineViewport& viewport,
                       const Pen& pen) {
  WhatIfPlaces out;
  const float width = pen.canvas.width, head = pen.px(24);
  out.head = {0, 0, width, head};
  const TimeRange range = visible_range(viewport, std::max(then.trace.total(), base.trace.total()));
  out.frame =
      timeline_frame(then, range, {0, head, width, std::max(1.0F, pen.canvas.height - head)}, {}, pen);
  out.rows = timeline_rows(then, viewport, out.frame.plot.h, pen);
  return out;
}

// Hollow, as no bar of the run is.
RectItem ghost_face(const Theme& theme) {
  RectItem out;
  out.fill = theme.background;
  out.border = mixed(theme.background, theme.muted_text, 0.8);
  out.border_width = 1;
  return out;
}

// What it takes now, and what the ghost is.
void draw_head(Pen& pen, const ViewInput& then, const ViewInput& base, const Rect& box) {
  pen.rect(box, pen.theme.panel);
  const float middle = box.y + box.h / 2;
  pen.mark(Mark::baseline, box);
  const std::vector<LegendEntry> signs{{Mark::baseline, 0, {said("baseline")}, ghost_face(pen.theme)}};
  const float x = box.right() - legend_width(pen, signs) - pen.px(16);
  draw_legend_line(pen, signs, {x, box.y, box.right() - x, box.h});
  const Picoseconds delta = then.trace.total() - base.trace.total();
  const std::string change = delta == 0 ? "" : fmt::format(" ({})", signed_picoseconds(delta));
  const std::string text =
      fmt::format("{}  {}{}", then.run.strategy, format_picoseconds(then.trace.total()), change);
  pen.text({box.x + pen.px(8), middle}, pen.elided(text, x - box.x - pen.px(8), 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  pen.accessible(box, -1, say("{}, it was {}", text, format_picoseconds(base.trace.total())));
}

void draw_ghost(Pen& pen, const ViewInput& base, const TimelineViewport& viewport, const WhatIfPlaces& at) {
  const int pixels = std::max(1, static_cast<int>(at.frame.plot.w / 4));
  RectItem face = ghost_face(pen.theme);
  pen.scene.push_clip(at.frame.plot);
  for (const DeviceRow& row : at.rows.rows) {
    const float top = at.frame.plot.y + row.y - viewport.scroll_y;
    if (top > at.frame.plot.bottom() || top + at.rows.row_height < at.frame.plot.y) continue;
    for (const LaneStrip& strip : at.rows.strips) {
      const auto bins =
          base.trace.bins(DeviceId(row.devices.front()), strip.lane, at.frame.axis.range, pixels);
      if (!bins.ok()) continue;
      for (const LaneBin& bin : *bins) {
        const float from = std::max(at.frame.plot.x - 2, at.frame.axis.x_of(bin.range.start));
        const float to = std::min(at.frame.plot.right() + 2, at.frame.axis.x_of(bin.range.end));
        face.rect = {from, top + strip.y, std::max(1.0F, to - from - 1), strip.h};
        pen.scene.add(face);
      }
    }
  }
  pen.scene.pop_clip();
}

// Where the old end is in the new run.
void draw_old_end(Pen& pen, const ViewInput& base, const TimelineFrame& frame) {
  const float end = frame.axis.x_of(base.trace.total());
  if (end < frame.plot.x || end > frame.plot.right()) return;
  pen.scene.add(
      LineItem{{{end, frame.plot.y}, {end, frame.plot.bottom()}}, pen.theme.muted_text, 1, true, false, -1});
}

}  // namespace

bool draw_before_ghost(Pen& pen, const ViewInput& then, const ViewInput& base,
                       const TimelineViewport& viewport, const Selection& selection) {
  WhatIfPlaces at = places_of(then, base, viewport, pen);
  const auto thin = [&](const LaneStrip& strip) { return strip.h < pen.px(kLeastStrip); };
  if (std::ranges::any_of(at.rows.strips, thin)) return false;
  draw_head(pen, then, base, at.head);
  draw_ghost(pen, base, viewport, at);
  for (LaneStrip& strip : at.rows.strips) strip.h *= kNowShare;
  draw_timeline(pen, {then, viewport, selection, at.frame, at.rows, -1, false});
  draw_old_end(pen, base, at.frame);
  return true;
}

TimeAxis what_if_axis(const ViewInput& then, const ViewInput& base, const TimelineViewport& viewport,
                      const Canvas& canvas) {
  Scene unused;
  return places_of(then, base, viewport, Pen(unused, canvas)).frame.axis;
}

float what_if_overflow(const ViewInput& then, const ViewInput& base, const TimelineViewport& viewport,
                       const Canvas& canvas) {
  Scene unused;
  const WhatIfPlaces at = places_of(then, base, viewport, Pen(unused, canvas));
  return std::max(0.0F, at.rows.height - at.frame.plot.h);
}

}  // namespace shardscope::inline views
