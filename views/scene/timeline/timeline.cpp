// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "views/scene/timeline/timeline_frame.h"

namespace shardscope {
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

void draw_head(Pen& pen, const ViewInput& input, const Rect& box, Color color, const std::string& letter,
               const std::string& note) {
  pen.rect(box, pen.theme.panel);
  pen.rect({box.x, box.y, pen.px(6), box.h}, color);
  const std::string title = input.run.asked.label.empty()
                                ? input.run.strategy
                                : input.run.strategy + " (" + input.run.asked.label + ")";
  const std::string text =
      fmt::format("{}  {}  {}{}", letter, title, format_picoseconds(input.trace.total()), note);
  pen.text({box.x + pen.px(14), box.y + box.h / 2}, pen.elided(text, box.w - pen.px(22), 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  pen.accessible(box, -1, text);
}

}  // namespace

void draw_timeline(Pen& pen, const TimelineContext& c) {
  draw_timeline_ruler(pen, c);
  draw_timeline_beats(pen, c);
  draw_timeline_strips(pen, c);
  draw_critical_path(pen, c);
  draw_selection_arrows(pen, c);
  draw_timeline_range(pen, c);
  draw_playhead(pen, c);
  draw_minimap(pen, c);
  draw_timeline_legend(pen, c);
}

Scene layout_timeline(const ViewInput& input, const TimelineViewport& viewport, const Selection& selection,
                      const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  if (nothing_to_draw(pen, input)) return scene;
  TimelineParts parts;
  parts.summary = selection.range && selection.range->length() > 0;
  const TimelineFrame frame = timeline_frame(input, visible_range(viewport, input.trace.total()),
                                             {0, 0, canvas.width, canvas.height}, parts, pen);
  const TimelineRows rows = timeline_rows(input, viewport.collapse_equal, pen);
  draw_timeline(pen, {input, viewport, selection, frame, rows});
  return scene;
}

Scene layout_timeline_pair(const ViewInput& a, const ViewInput& b, const TimelineViewport& viewport,
                           const Selection& selection, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const Picoseconds longest = std::max(a.trace.total(), b.trace.total());
  if (longest <= 0) {
    pen.empty_state("Two runs on one time axis", "Neither of them takes any time.");
    return scene;
  }
  const TimeRange range = visible_range(viewport, longest);
  const float head = pen.px(24);
  const float half = canvas.height / 2;
  const Color blue = pen.theme.dark ? Color{107, 174, 214} : Color{0, 114, 178};
  const Color orange = pen.theme.dark ? Color{247, 191, 94} : Color{224, 138, 0};
  const ViewInput* inputs[] = {&a, &b};
  // Both time axes start and end under each other, so the wider labels decide.
  const auto area = [&](int i) {
    return Rect{0, static_cast<float>(i) * half + head, canvas.width, half - head};
  };
  float left = 0;
  for (int i = 0; i < 2; ++i)
    left = std::max(left, timeline_frame(*inputs[i], range, area(i), {}, pen).plot.x);
  for (int i = 0; i < 2; ++i) {
    const double ratio = static_cast<double>(inputs[1 - i]->trace.total()) > 0
                             ? static_cast<double>(inputs[i]->trace.total()) /
                                   static_cast<double>(inputs[1 - i]->trace.total())
                             : 0;
    const std::string note =
        ratio > 1 ? fmt::format("  ·  {} the time of {}", format_ratio(ratio), i == 0 ? "B" : "A") : "";
    draw_head(pen, *inputs[i], {0, static_cast<float>(i) * half, canvas.width, head}, i == 0 ? blue : orange,
              i == 0 ? "A" : "B", note);
    TimelineParts parts;
    parts.top = true;
    parts.bottom = i == 1;
    TimelineFrame frame = timeline_frame(*inputs[i], range, area(i), parts, pen);
    const float shift = left - frame.plot.x;
    for (Rect* r : {&frame.ruler, &frame.beats, &frame.plot, &frame.minimap, &frame.summary, &frame.legend})
      r->x += shift, r->w -= shift;
    frame.labels.w += shift;
    frame.axis = {frame.plot.x, frame.plot.w, range};
    const TimelineRows rows = timeline_rows(*inputs[i], viewport.collapse_equal, pen);
    draw_timeline(pen, {*inputs[i], viewport, selection, frame, rows, i});
  }
  return scene;
}

}  // namespace shardscope
