// SPDX-License-Identifier: Apache-2.0
// From the selected event's cause to it and on to what it let start: whatever rows their devices are in.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/story/event_text.h"
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kMostEffects = 64;  // arrows to what one event let start

// An end of an arrow.
struct End {
  Point at;
  bool indirect = false;  // the lane itself is not in sight: its row is folded, hidden or scrolled away
  std::string note;       // where it is then
};

const DeviceRow* row_of(const TimelineContext& c, int32_t device) {
  if (device < 0 || static_cast<size_t>(device) >= c.rows.row_of.size()) return nullptr;
  const int32_t row = c.rows.row_of[static_cast<size_t>(device)];
  return row < 0 ? nullptr : &c.rows.rows[static_cast<size_t>(row)];
}

// Where a lane of the event's device stands, as far as it can be seen.
End end_of(const TimelineContext& c, const Event& event, Picoseconds time) {
  End out;
  const Rect& plot = c.frame.plot;
  out.at.x = std::clamp(c.frame.axis.x_of(time), plot.x + 1, plot.right() - 1);
  const std::string device = device_name(c.input.run.mesh, event.device);
  const DeviceRow* row = row_of(c, event.device);
  if (row == nullptr) {
    out.at.y = plot.bottom() - 2;
    out.indirect = true;
    out.note = say("{} has no row", device);
    return out;
  }
  const Rect strip = c.rows.strip(c.frame, c.viewport.scroll_y, event.device, event.lane);
  out.at.y = strip.y + strip.h / 2;
  if (row->folded && row->shown != event.device) {
    out.indirect = true;
    out.note = say("{} in {} folded rows", device, row->group_size);
  }
  const Rect room = c.rows.room(c.frame, static_cast<size_t>(row - c.rows.rows.data()));
  if (out.at.y < room.y || out.at.y > room.bottom()) {
    out.note = out.at.y < room.y ? say("{} is above", device) : say("{} is below", device);
    out.indirect = true;
    out.at.y = std::clamp(out.at.y, room.y + 2, room.bottom() - 2);
  }
  return out;
}

void draw_note(Pen& pen, const TimelineContext& c, const End& end, const std::string& what) {
  if (end.note.empty()) return;
  const float width = pen.width(end.note, 0.85F) + pen.px(6), h = pen.text_px() * 1.1F;
  const Rect& plot = c.frame.plot;
  const bool right = end.at.x + pen.px(8) + width < plot.right();
  const Rect box{right ? end.at.x + pen.px(8) : end.at.x - pen.px(8) - width,
                 std::clamp(end.at.y - h / 2, plot.y, std::max(plot.y, plot.bottom() - h)), width, h};
  pen.rect(box, with_alpha(pen.theme.background, 0.9));
  pen.text({box.x + pen.px(3), box.y + h / 2}, end.note, {pen.theme.text, 0.85F, Align::left});
  pen.accessible(box, -1, what + ": " + end.note);
}

void draw_arrow(Pen& pen, const TimelineContext& c, const Event& from, const Event& to) {
  const End start = end_of(c, from, from.end), end = end_of(c, to, to.start);
  // Both in one place: a hook from above, long enough to be seen.
  const bool near = std::abs(start.at.x - end.at.x) < 3 && std::abs(start.at.y - end.at.y) < pen.px(6);
  std::vector<Point> points{start.at, {start.at.x, end.at.y}, {end.at.x + 5, end.at.y}};
  if (near)
    points = {{end.at.x - pen.px(10), end.at.y - pen.px(10)}, {end.at.x, end.at.y - pen.px(10)}, end.at};
  const bool dashed = start.indirect || end.indirect;
  pen.scene.add(LineItem{points, pen.theme.background, 4, false, false, -1});
  pen.scene.add(LineItem{points, pen.theme.selection, 2, dashed, true, -1});
}

// What an event let start. It begins when that ends; the next hop of a message when its head has passed.
std::vector<int32_t> effects_of(const TimelineContext& c, int32_t number, const Event& cause) {
  std::vector<int32_t> out;
  const std::vector<Event>& events = c.input.run.timeline.events;
  for (auto e = std::ranges::lower_bound(events, cause.start, {}, &Event::start);
       e != events.end() && e->start <= cause.end && out.size() < kMostEffects; ++e)
    if (e->cause == number) out.push_back(static_cast<int32_t>(e - events.begin()));
  return out;
}

// When it was, on the lane of its row: of a device whose row shows another one too.
void outline_time(Pen& pen, const TimelineContext& c, const Event& event, Color color) {
  const Rect strip = c.rows.strip(c.frame, c.viewport.scroll_y, event.device, event.lane);
  const float from = std::max(strip.x - 2, c.frame.axis.x_of(event.start));
  const float to = std::min(strip.right() + 2, c.frame.axis.x_of(event.end));
  if (strip.h <= 0 || to < strip.x || from > strip.right()) return;
  const DeviceRow& row = *row_of(c, event.device);
  pen.scene.push_clip(c.rows.room(c.frame, static_cast<size_t>(&row - c.rows.rows.data())));
  pen.outline(Rect{from, strip.y, std::max(1.0F, to - from), strip.h}.inset(-1), color, 1.5F);
  pen.scene.pop_clip();
}

// What is pointed at and is drawn on no row of its own.
void outline_stand_in(Pen& pen, const TimelineContext& c, const ItemId& pointed, Color color) {
  if (pointed.kind != ItemId::Kind::event) return;
  const auto event = find_event(c.input, pointed.event);
  const DeviceRow* row = event ? row_of(c, event->device) : nullptr;
  if (row != nullptr && row->shown != event->device) outline_time(pen, c, *event, color);
}

}  // namespace

void draw_selection_arrows(Pen& pen, const TimelineContext& c) {
  outline_stand_in(pen, c, c.selection.hovered, pen.theme.hover);
  outline_stand_in(pen, c, c.selection.selected, pen.theme.selection);
  if (!c.viewport.arrows || c.selection.selected.kind != ItemId::Kind::event) return;
  const int32_t number = c.selection.selected.event;
  const auto chosen = find_event(c.input, number);
  if (!chosen) return;
  pen.scene.push_clip(c.frame.plot);
  if (const auto cause = find_event(c.input, chosen->cause)) {
    outline_time(pen, c, *cause, pen.theme.selection);
    draw_arrow(pen, c, *cause, *chosen);
    draw_note(pen, c, end_of(c, *cause, cause->end), said(said("cause of the selected event")));
  }
  for (const int32_t effect : effects_of(c, number, *chosen)) {
    const Event& to = c.input.run.timeline.events[static_cast<size_t>(effect)];
    draw_arrow(pen, c, *chosen, to);
    draw_note(pen, c, end_of(c, to, to.start), said(said("what the selected event let start")));
  }
  pen.scene.pop_clip();
}

}  // namespace shardscope::inline views
