// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/study/difference.h"
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope::inline views {
namespace {

// Says why there is nothing to draw, if so.
bool nothing_to_draw(Pen& pen, const ViewInput& input) {
  if (input.run.status != RunStatus::done && input.trace.event_count() == 0) {
    pen.empty_state("This run has no timeline", "It did not finish; its reason stands in the table of runs.");
    return true;
  }
  if (input.trace.devices() == 0 || (input.trace.event_count() == 0 && input.trace.total() == 0)) {
    pen.empty_state("The timeline shows what every device does, and when",
                    "This program takes no time: it neither computes nor communicates.");
    return true;
  }
  return false;
}

void draw_no_rows(Pen& pen, const TimelineFrame& frame, const RowChoice& rows) {
  const std::string why = rows.filter.empty()
                              ? said("Every row is hidden: show all rows again.")
                              : said("All rows that match the filter are hidden: show all rows again.");
  pen.text({frame.plot.x + frame.plot.w / 2, frame.plot.y + frame.plot.h / 2}, why,
           {pen.theme.muted_text, 1, Align::center});
  pen.accessible(frame.plot, -1, why);
}

}  // namespace

void draw_timeline(Pen& pen, const TimelineContext& c) {
  draw_timeline_ruler(pen, c);
  draw_timeline_beats(pen, c);
  draw_timeline_layers(pen, c);
  draw_timeline_counts(pen, c);
  draw_row_heads(pen, c);
  draw_timeline_strips(pen, c);
  draw_critical_path(pen, c);
  draw_selection_arrows(pen, c);
  draw_timeline_range(pen, c);
  draw_playhead(pen, c);
  draw_minimap(pen, c);
  draw_timeline_legend(pen, c);
}

namespace {

// `marks`: null: nothing is marked in it.
Scene timeline_scene(const ViewInput& input, const TimelineViewport& viewport, const Selection& selection,
                     const Canvas& canvas, const TimelineMarks* marks) {
  Scene scene;
  Pen pen(scene, canvas);
  if (nothing_to_draw(pen, input)) return scene;
  TimelineParts parts;
  parts.summary = selection.range && selection.range->length() > 0;
  parts.counts = shows_counts(input, viewport.rows);
  const TimelineFrame frame = timeline_frame(input, visible_range(viewport, input.trace.total()),
                                             {0, 0, canvas.width, canvas.height}, parts, pen);
  const TimelineRows rows = timeline_rows(input, viewport, frame.plot.h, pen);
  if (rows.rows.empty()) draw_no_rows(pen, frame, viewport.rows);
  const TimelineContext context{input, viewport, selection, frame, rows};
  draw_timeline(pen, context);
  if (marks != nullptr) draw_timeline_marks(pen, context, *marks);
  return scene;
}

TimelineFrame frame_of(const ViewInput& input, const TimelineViewport& viewport, const Pen& pen) {
  TimelineParts parts;
  parts.counts = shows_counts(input, viewport.rows);
  return timeline_frame(input, visible_range(viewport, input.trace.total()),
                        {0, 0, pen.canvas.width, pen.canvas.height}, parts, pen);
}

}  // namespace

Scene layout_timeline(const ViewInput& input, const TimelineViewport& viewport, const Selection& selection,
                      const Canvas& canvas) {
  return timeline_scene(input, viewport, selection, canvas, nullptr);
}

Scene layout_timeline(const ViewInput& input, const TimelineViewport& viewport, const Selection& selection,
                      const Canvas& canvas, const TimelineMarks& marks) {
  return timeline_scene(input, viewport, selection, canvas, &marks);
}

std::optional<Rect> timeline_strip(const ViewInput& input, const TimelineViewport& viewport,
                                   const Canvas& canvas, int32_t device, int lane) {
  Scene scene;
  const Pen pen(scene, canvas);
  const TimelineFrame frame = frame_of(input, viewport, pen);
  const TimelineRows rows = timeline_rows(input, viewport, frame.plot.h, pen);
  const Rect strip = rows.strip(frame, viewport.scroll_y, device, lane);
  return strip.h > 0 ? std::optional(strip) : std::nullopt;
}

namespace {

// Two runs above each other on one time axis, each under its head.
struct Stacked {
  const ViewInput* input;
  Color color;
  std::string letter, note;
};

void draw_head(Pen& pen, const ViewInput& input, const Rect& box, Color color, const std::string& letter,
               const std::string& note) {
  pen.rect(box, pen.theme.panel);
  pen.rect({box.x, box.y, pen.px(6), box.h}, color);
  const std::string text = fmt::format("{}  {}  {}{}", letter, heading_of(input.run),
                                       format_picoseconds(input.trace.total()), note);
  pen.text({box.x + pen.px(14), box.y + box.h / 2}, pen.elided(text, box.w - pen.px(22), 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  pen.accessible(box, -1, text);
}

Rect half_of(const Pen& pen, int i) {
  const float head = pen.px(24), half = pen.canvas.height / 2;
  return {0, static_cast<float>(i) * half + head, pen.canvas.width, half - head};
}

// The plots, for what is drawn over them.
std::array<TimelineFrame, 2> draw_stack(Pen& pen, const std::array<Stacked, 2>& runs,
                                        const TimelineViewport& viewport, const Selection& selection) {
  const Picoseconds longest = std::max(runs[0].input->trace.total(), runs[1].input->trace.total());
  const TimeRange range = visible_range(viewport, longest);
  std::array<TimelineFrame, 2> frames;
  // Both time axes start and end under each other, so the wider labels decide.
  float left = 0;
  for (int i = 0; i < 2; ++i)
    left = std::max(
        left, timeline_frame(*runs[static_cast<size_t>(i)].input, range, half_of(pen, i), {}, pen).plot.x);
  for (int i = 0; i < 2; ++i) {
    const auto& [input, color, letter, note] = runs[static_cast<size_t>(i)];
    const Rect area = half_of(pen, i);
    draw_head(pen, *input, {0, area.y - pen.px(24), area.w, pen.px(24)}, color, letter, note);
    TimelineParts parts;
    parts.top = true;
    parts.bottom = i == 1;
    TimelineFrame frame = timeline_frame(*input, range, area, parts, pen);
    const float shift = left - frame.plot.x;
    for (Rect* r : {&frame.ruler, &frame.beats, &frame.layers, &frame.plot, &frame.minimap, &frame.summary,
                    &frame.legend})
      r->x += shift, r->w -= shift;
    frame.labels.w += shift;
    frame.axis = {frame.plot.x, frame.plot.w, range};
    const TimelineRows rows = timeline_rows(*input, viewport, frame.plot.h, pen);
    draw_timeline(pen, {*input, viewport, selection, frame, rows, i, false});
    frames[static_cast<size_t>(i)] = frame;
  }
  return frames;
}

}  // namespace

Scene layout_what_if_timeline(const ViewInput& then, const ViewInput& base, const TimelineViewport& viewport,
                              const Selection& selection, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  if (base.trace.total() <= 0) {
    pen.empty_state("What the run would take on other hardware", "This run takes no time.");
    return scene;
  }
  if (draw_before_ghost(pen, then, base, viewport, selection)) return scene;
  const Picoseconds delta = then.trace.total() - base.trace.total();
  const auto frames =
      draw_stack(pen,
                 {{{&then, pen.theme.critical, "then", delta == 0 ? "" : "  ·  " + signed_picoseconds(delta)},
                   {&base, pen.theme.muted_text, "now", ""}}},
                 viewport, selection);
  const Rect& ghost = frames[1].plot;
  pen.rect(ghost, with_alpha(pen.theme.background, 0.6));
  const float end = frames[0].axis.x_of(base.trace.total());
  const Rect& plot = frames[0].plot;
  if (end >= plot.x && end <= plot.right())
    scene.add(LineItem{{{end, plot.y}, {end, plot.bottom()}}, pen.theme.muted_text, 1, true, false, -1});
  return scene;
}

}  // namespace shardscope::inline views
