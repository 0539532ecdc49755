// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "views/scene/story/event_text.h"
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kMostOutlined = 2000;  // of those in sight; more are marked on the small picture of the run

Color found_color(const Theme& theme) {
  return theme.warning;
}

TimeAxis whole_run(const TimelineContext& c) {
  const Rect& m = c.frame.minimap;
  return {m.x, m.w, {0, std::max<Picoseconds>(1, c.input.trace.total())}};
}

void outline_found(Pen& pen, const TimelineContext& c, const TimelineMarks& marks) {
  pen.scene.push_clip(c.frame.plot);
  size_t outlined = 0;
  for (size_t i = 0; i < marks.found.size() && outlined < kMostOutlined; ++i) {
    const bool here = static_cast<int32_t>(i) == marks.at;
    const auto event = find_event(c.input, marks.found[i]);
    if (!event || event->end < c.frame.axis.range.start || event->start > c.frame.axis.range.end) continue;
    const Rect strip = c.rows.strip(c.frame, c.viewport.scroll_y, event->device, event->lane);
    if (strip.h <= 0 || strip.bottom() < c.frame.plot.y || strip.y > c.frame.plot.bottom()) continue;
    const float x0 = std::max(c.frame.axis.x_of(event->start), c.frame.plot.x - 4);
    const float x1 = std::min(c.frame.axis.x_of(event->end), c.frame.plot.right() + 4);
    const float grow = here ? pen.px(2) : 0;
    pen.outline({x0 - grow, strip.y - grow, std::max(2.0F, x1 - x0) + 2 * grow, strip.h + 2 * grow},
                found_color(pen.theme), here ? 3.0F : 1.5F);
    ++outlined;
  }
  pen.scene.pop_clip();
}

// A mark a pixel at most: thousands of hits are no more than the picture is wide.
void mark_on_minimap(Pen& pen, const TimelineContext& c, const TimelineMarks& marks) {
  const Rect& m = c.frame.minimap;
  if (m.h <= 0) return;
  const TimeAxis axis = whole_run(c);
  float last = m.x - 2;
  for (size_t i = 0; i < marks.found.size(); ++i) {
    const auto event = find_event(c.input, marks.found[i]);
    if (!event) continue;
    const bool here = static_cast<int32_t>(i) == marks.at;
    const float x = axis.x_of(event->start + (event->end - event->start) / 2);
    if (!here && x < last + 1) continue;
    pen.rect({x - (here ? 1.5F : 0.5F), m.y, here ? 3.0F : 1.0F, here ? m.h : pen.px(5)},
             found_color(pen.theme));
    if (!here) last = x;
  }
}

void draw_flags(Pen& pen, const TimelineContext& c, const TimelineMarks& marks) {
  const Rect& plot = c.frame.plot;
  float free_from = plot.x;  // texts of neighbours do not lie on each other
  for (size_t i = 0; i < marks.flags.size(); ++i) {
    const TimelineFlag& flag = marks.flags[i];
    const float x = c.frame.axis.x_of(flag.time);
    if (x < plot.x || x > plot.right()) continue;
    ItemId item;
    item.kind = ItemId::Kind::handle;
    item.lane = kNoteHandle;
    item.index = static_cast<int32_t>(i);
    const int32_t id = pen.id(item);
    const float h = pen.px(16), top = plot.y + pen.px(2);
    const float room = std::min(plot.right() - x, pen.px(180));
    const std::string words = x >= free_from ? pen.elided(flag.text, room - pen.px(12), 0.85F) : "";
    const float w = words.empty() ? pen.px(9) : pen.width(words, 0.85F) + pen.px(12);
    pen.line({x, top}, {x, plot.bottom()}, with_alpha(pen.theme.focus, 0.7), 1, id);
    pen.rect({x, top, w, h}, pen.theme.panel, id);
    pen.outline({x, top, w, h}, pen.theme.focus, 1.5F, id);
    pen.text({x + pen.px(6), top + h / 2}, words, {pen.theme.text, 0.85F, Align::left});
    const std::string where =
        flag.device >= 0 ? ", device " + device_name(c.input.run.mesh, flag.device) : "";
    pen.accessible({x, top, w, h}, id,
                   fmt::format("note at {}{}: {}", format_picoseconds(flag.time), where, flag.text));
    free_from = std::max(free_from, x + w + pen.px(2));
  }
}

void draw_hint(Pen& pen, const TimelineContext& c, const std::string& hint) {
  const Rect& plot = c.frame.plot;
  const std::string words = pen.elided(hint, plot.w - pen.px(32), 1, Face::bold);
  const float w = pen.width(words, 1, Face::bold) + pen.px(16), h = pen.px(22);
  const Rect chip{plot.x + (plot.w - w) / 2, plot.bottom() - h - pen.px(6), w, h};
  pen.rect(chip, pen.theme.selection);
  pen.text({chip.x + w / 2, chip.y + h / 2}, words,
           {text_on(pen.theme, pen.theme.selection), 1, Align::center, Face::bold});
  pen.accessible(chip, -1, hint);
}

}  // namespace

void draw_timeline_marks(Pen& pen, const TimelineContext& c, const TimelineMarks& marks) {
  outline_found(pen, c, marks);
  mark_on_minimap(pen, c, marks);
  draw_flags(pen, c, marks);
  if (!marks.hint.empty()) draw_hint(pen, c, marks.hint);
}

}  // namespace shardscope::inline views
