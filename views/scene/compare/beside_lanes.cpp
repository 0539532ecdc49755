// SPDX-License-Identifier: Apache-2.0
// The measured lanes: what a kernel was, lighter than what is simulated and cross-hatched.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "engine/base/say.h"
#include "views/scene/compare/beside_parts.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kMostMeasuredNames = 1000;
constexpr float kMerged = 1.5F;  // pixels: what is thinner is drawn with its neighbours

// A collective of the run has the hue of the axis that it goes along, as its simulated transfers have.
int axis_of(const BesideInput& input, int operation) {
  const Run& run = input.run.run;
  if (operation < 0) return 0;
  const auto& of = input.residual.operations[static_cast<size_t>(operation)];
  if (of.kind != MeasuredKind::collective || of.instructions.empty()) return 0;
  const auto axes = collective_axes(run.program, run.program.by_global_index(of.instructions.front()));
  return axes.empty() ? 0 : run.mesh.axis_index(axes.front()).value_or(0);
}

Color color_of(const Theme& theme, MeasuredKind kind, int axis) {
  switch (kind) {
    case MeasuredKind::product:
    case MeasuredKind::elementwise:
      return theme.compute;
    case MeasuredKind::collective:
      return axis_color(theme, axis, 1);
    case MeasuredKind::copy:
      return theme.copy;
    case MeasuredKind::other:
      break;
  }
  return theme.muted_text;
}

// Of the drawn step and device, by start.
template <class Use>
void for_drawn(const BesideInput& input, Use use) {
  const Residual& r = input.residual;
  if (r.steps.empty()) return;
  const auto& events = input.trace.events;
  const TimeRange& step = r.steps[r.step];
  auto at = std::ranges::lower_bound(events, step.start, {}, &MeasuredEvent::start);
  for (; at != events.end() && at->start < step.end; ++at)
    if (at->device == r.measured_device) use(static_cast<int32_t>(at - events.begin()), *at);
}

class MeasuredPainter {
 public:
  MeasuredPainter(Pen& pen, const BesideInput& input, const BesideFrame& frame,
                  const BesideViewport& viewport, const BesideMarks& marks)
      : pen_(pen), in_(input), f_(frame), viewport_(viewport), marks_(marks) {
    begin_ = input.residual.steps[input.residual.step].start;
    for (size_t o = 0; o < input.residual.operations.size(); ++o)
      axes_.push_back(axis_of(input, static_cast<int>(o)));
  }

  // Thin neighbours wait until it is known how far they go.
  void add(const Rect& lane, int32_t number, const MeasuredEvent& e) {
    const float from = std::clamp(f_.axis.x_of(e.start - begin_), lane.x - 2, lane.right() + 2);
    const float to = std::clamp(f_.axis.x_of(e.end - begin_), lane.x - 2, lane.right() + 2);
    if (f_.axis.x_of(e.end - begin_) < lane.x || f_.axis.x_of(e.start - begin_) > lane.right()) return;
    if (to - from >= kMerged) {
      flush(lane);
      draw(lane, {from, lane.y, to - from > 2.5F ? to - from - 1 : to - from, lane.h}, number, 1);
      return;
    }
    if (count_ > 0 && from - thin_.right() > 1) flush(lane);
    if (count_ == 0) thin_ = {from, lane.y, 1, lane.h}, first_ = number;
    thin_.w = std::max({1.0F, thin_.w, to - thin_.x});
    ++count_;
  }

  void flush(const Rect& lane) {
    if (count_ > 0) draw(lane, thin_, first_, count_);
    count_ = 0;
  }

 private:
  void draw(const Rect& lane, const Rect& r, int32_t number, int32_t events) {
    const MeasuredEvent& e = in_.trace.events[static_cast<size_t>(number)];
    const MeasuredOperation& op = in_.trace.operations[static_cast<size_t>(e.operation)];
    const int operation = in_.residual.operation_of[static_cast<size_t>(number)];
    ItemId item;
    item.kind = events == 1 ? ItemId::Kind::event : ItemId::Kind::event_group;
    item.device = e.device;
    item.event = number;
    item.lane = e.lane;
    item.index = events == 1 ? kMeasuredTag : events;
    const int32_t id = pen_.id(item);
    RectItem rect =
        operation >= 0
            ? measured_face(pen_.theme, color_of(pen_.theme, op.kind, axes_[static_cast<size_t>(operation)]))
            : foreign_face(pen_.theme);
    rect.rect = r;
    rect.id = id;
    pen_.scene.add(rect);
    pen_.mark(operation >= 0 ? Mark::measured : Mark::foreign, r);
    if (events == 1) label(lane, r, op, rect, id);
    if (pen_.scene.accessible().size() < kMostMeasuredNames && r.w >= pen_.px(4))
      pen_.accessible(r, id,
                      events == 1 ? event_words(e, op, operation) : say("measured, {} events", events));
    if (operation >= 0 && operation == viewport_.operation)
      pen_.outline(r.inset(-1), pen_.theme.selection, 2);
    if (events == 1 && marks_.hovered == item) pen_.outline(r.inset(-1), pen_.theme.hover, 1.5F);
  }

  // On a plain ground, so that it reads on the hatch.
  void label(const Rect& lane, const Rect& r, const MeasuredOperation& op, const RectItem& face, int32_t id) {
    const float x = std::max(r.x, lane.x);
    const Rect shown{x, r.y, std::min(r.right(), lane.right()) - x, r.h};
    const std::string text = op.instruction.empty() ? op.op : op.instruction;
    const float room = pen_.width(text, 0.85F) + pen_.px(6);
    if (room > shown.w || r.h < pen_.text_px(0.85F)) return;
    const Rect ground{shown.x + (shown.w - room) / 2, shown.y + 1, room, shown.h - 2};
    if (!Pen::leaves_seen(shown, ground)) return;
    pen_.rect(ground, face.fill, id);
    pen_.text_in(shown, text, {text_on(pen_.theme, face.fill), 0.85F, Align::center});
  }

  std::string event_words(const MeasuredEvent& e, const MeasuredOperation& op, int operation) const {
    const std::string device = e.device < std::ssize(in_.trace.device_names)
                                   ? in_.trace.device_names[static_cast<size_t>(e.device)]
                                   : std::to_string(e.device);
    const std::string& called = op.instruction.empty() ? op.op : op.instruction;
    const std::string time = format_picoseconds(e.duration());
    if (operation < 0) return say("measured, {}, {}, {}, not in the run", device, called, time);
    return say("measured, {}, {}, {}", device, called, time);
  }

  Pen& pen_;
  const BesideInput& in_;
  const BesideFrame& f_;
  const BesideViewport& viewport_;
  const BesideMarks& marks_;
  Picoseconds begin_ = 0;
  std::vector<int> axes_;  // by operation
  Rect thin_{};
  int32_t first_ = -1, count_ = 0;
};

}  // namespace

RectItem measured_face(const Theme& theme, Color color) {
  RectItem out;
  out.fill = mixed(theme.background, color, theme.dark ? 0.4 : 0.45);
  out.border = mixed(theme.text, color, 0.75);
  out.border_width = 1;
  out.pattern = Pattern::cross;
  out.pattern_color = with_alpha(color, 0.55);
  return out;
}

RectItem foreign_face(const Theme& theme) {
  RectItem out = measured_face(theme, theme.muted_text);
  out.fill = theme.background;
  return out;
}

std::vector<LaneStrip> measured_strips(const BesideInput& input, float grow, const Pen& pen) {
  std::set<int> used;
  for_drawn(input, [&](int32_t, const MeasuredEvent& e) { used.insert(e.lane); });
  std::vector<LaneStrip> out;
  float y = pen.px(3);
  for (const int lane : used) {
    const float h = pen.px(20) * grow;
    out.push_back({lane, y, h});
    y += h + pen.px(4);
  }
  return out;
}

void draw_measured_lanes(Pen& pen, const BesideInput& input, const BesideFrame& f,
                         const BesideViewport& viewport, const BesideMarks& marks) {
  const float top = f.measured.y + f.head;
  for (const LaneStrip& strip : f.measured_rows) {
    const Rect lane{f.axis.left, top + strip.y, f.axis.width, strip.h};
    const auto& names = input.trace.lanes;
    const std::string called = strip.lane < std::ssize(names) ? names[static_cast<size_t>(strip.lane)] : "";
    pen.text({f.labels - pen.px(8), lane.y + lane.h / 2}, pen.elided(called, f.labels - pen.px(12), 0.85F),
             {pen.theme.muted_text, 0.85F, Align::right});
    pen.scene.push_clip(lane);
    MeasuredPainter painter(pen, input, f, viewport, marks);
    for_drawn(input, [&](int32_t number, const MeasuredEvent& e) {
      if (e.lane == strip.lane) painter.add(lane, number, e);
    });
    painter.flush(lane);
    pen.scene.pop_clip();
  }
}

}  // namespace shardscope::inline views
