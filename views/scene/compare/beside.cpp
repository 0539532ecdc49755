// SPDX-License-Identifier: Apache-2.0
#include "views/scene/compare/beside.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/study/difference.h"
#include "views/scene/compare/beside_parts.h"
#include "views/scene/core/legend.h"

namespace shardscope::inline views {
namespace {

constexpr float kMostBesideBars = 0.45F;  // of the height
constexpr float kMostBesideGrowth = 2;    // of lanes

float label_width(const BesideInput& input, const Pen& pen) {
  float width = 0;
  for (const Lane& lane : input.run.trace.lanes()) width = std::max(width, pen.width(lane.name, 0.85F));
  for (const std::string& lane : input.trace.lanes) width = std::max(width, pen.width(lane, 0.85F));
  return width + pen.px(24);
}

std::string simulated_words(const BesideInput& input) {
  const Residual& r = input.residual;
  const std::string of = r.run_id ? say("{} (run {})", r.run, *r.run_id) : r.run;
  return say("simulated: {}, {}", of, format_picoseconds(r.simulated));
}

std::string measured_words(const BesideInput& input) {
  const Residual& r = input.residual;
  const std::string time = format_picoseconds(r.measured);
  if (r.steps.size() < 2) return say("measured: {}, {}", r.trace, time);
  return say("measured: {}, step {} of {}, {}", r.trace, r.step + 1, r.steps.size(), time);
}

void draw_head(Pen& pen, const Rect& box, const std::string& words) {
  pen.rect(box, pen.theme.panel);
  const float room = box.w - pen.px(16);
  pen.text({box.x + pen.px(8), box.y + box.h / 2}, pen.elided(words, room, 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  pen.accessible(box, -1, words);
}

void draw_legend(Pen& pen, const BesideInput& input, const Rect& box) {
  const float middle = box.y + box.h / 2;
  RectItem plain;
  plain.fill = pen.theme.compute;
  const std::vector<LegendEntry> signs =
      marked(pen, {{Mark::simulated, 0, {said("simulated")}, plain},
                   {Mark::measured, 0, {said("measured")}, measured_face(pen.theme, pen.theme.compute)},
                   {Mark::foreign,
                    0,
                    {said("measured, not in the run"), said("not in the run")},
                    foreign_face(pen.theme)}});
  const float x = box.right() - std::min(legend_width(pen, signs), box.w / 2) - pen.px(8);
  draw_legend_line(pen, signs, {x, box.y, box.right() - x, box.h});
  const Residual& r = input.residual;
  const std::string words =
      say("measured − simulated: {} · {} of the measured device time matched",
          signed_picoseconds(r.measured - r.simulated), format_percent(r.matched_share));
  pen.text({box.x + pen.px(8), middle}, pen.elided(words, x - box.x - pen.px(8)), {pen.theme.text});
  pen.accessible(box, -1, words);
}

TimelineFrame lanes_frame(const BesideFrame& f) {
  TimelineFrame out;
  out.area = {f.axis.left, f.simulated.y + f.head, f.axis.width, f.simulated.h - f.head};
  out.plot = out.area;
  out.labels = {0, out.plot.y, f.labels, out.plot.h};
  out.axis = f.axis;
  return out;
}

void outline_operation(Pen& pen, const TimelineContext& c, const std::vector<int32_t>& instructions) {
  const int32_t device = c.rows.rows.front().devices.front();
  pen.scene.push_clip(c.frame.plot);
  for (const LaneStrip& strip : c.rows.strips) {
    const auto numbers = c.input.trace.events(DeviceId(device), strip.lane, c.frame.axis.range);
    if (!numbers.ok()) continue;
    const Rect lane = c.rows.strip(c.frame, 0, device, strip.lane);
    for (const int32_t number : *numbers) {
      const auto event = c.input.trace.event(number);
      if (!event.ok() || !std::ranges::binary_search(instructions, event->instruction)) continue;
      const float from = std::max(lane.x - 2, c.frame.axis.x_of(event->start));
      const float to = std::min(lane.right() + 2, c.frame.axis.x_of(event->end));
      pen.outline({from, lane.y - 1, std::max(1.0F, to - from), lane.h + 2}, pen.theme.selection, 2);
    }
  }
  pen.scene.pop_clip();
}

void draw_simulated(Pen& pen, const BesideInput& input, const BesideFrame& f, const BesideViewport& viewport,
                    const BesideMarks& marks) {
  const TimelineFrame frame = lanes_frame(f);
  TimelineViewport lanes;
  lanes.arrows = false;
  Selection selection;
  if (marks.hovered.index == kSimulatedTag) selection.hovered = marks.hovered;
  draw_head(pen, {f.simulated.x, f.simulated.y, f.simulated.w, f.head}, simulated_words(input));
  for (const LaneStrip& strip : f.rows.strips) {
    const std::string& called = input.run.trace.lanes()[static_cast<size_t>(strip.lane)].name;
    pen.text({f.labels - pen.px(8), frame.plot.y + f.rows.rows.front().y + strip.y + strip.h / 2}, called,
             {pen.theme.muted_text, 0.85F, Align::right});
  }
  const TimelineContext context{input.run, lanes, selection, frame, f.rows, kSimulatedTag};
  draw_timeline_strips(pen, context);
  pen.mark(Mark::simulated, frame.plot);
  draw_critical_path(pen, context);
  if (viewport.operation >= 0 && viewport.operation < std::ssize(input.residual.operations))
    outline_operation(pen, context,
                      input.residual.operations[static_cast<size_t>(viewport.operation)].instructions);
}

// Where the run and the step end, over the lanes of each.
void draw_ends(Pen& pen, const BesideInput& input, const BesideFrame& f) {
  const auto end = [&](Picoseconds time, const Rect& block) {
    const float x = f.axis.x_of(time);
    if (x < f.axis.left || x > f.axis.left + f.axis.width) return;
    pen.line({x, block.y + f.head}, {x, block.bottom()}, pen.theme.muted_text, 1.5F);
  };
  end(input.residual.simulated, f.simulated);
  end(input.residual.measured, f.measured);
}

void draw_top(Pen& pen, const BesideInput& input, const BesideFrame& f, const BesideMarks& marks) {
  pen.rect({0, 0, pen.canvas.width, f.ruler.bottom()}, pen.theme.background);
  draw_legend(pen, input, f.legend);
  TimelineFrame common;
  common.area = common.plot = f.lanes;
  common.ruler = f.ruler;
  common.axis = f.axis;
  const TimelineViewport viewport;
  const Selection selection;
  draw_timeline_ruler(pen, {input.run, viewport, selection, common, f.rows, -1, false});
  const float x = f.axis.x_of(marks.cursor);
  if (marks.cursor < 0 || x < f.axis.left - 1 || x > f.axis.left + f.axis.width + 1) return;
  pen.line({x, f.ruler.y}, {x, f.lanes.bottom()}, pen.theme.focus, 2);
}

float strips_height(const std::vector<LaneStrip>& strips, const Pen& pen) {
  return strips.empty() ? pen.px(6) : strips.back().y + strips.back().h + pen.px(6);
}

}  // namespace

BesideFrame beside_frame(const BesideInput& input, const BesideViewport& viewport, const Pen& pen) {
  BesideFrame f;
  const float width = pen.canvas.width, height = pen.canvas.height;
  f.labels = std::min(label_width(input, pen), width * 0.25F);
  const TimeRange range = viewport.range.length() > 0 ? viewport.range : beside_bounds(input.residual);
  f.axis = {f.labels, std::max(1.0F, width - f.labels - pen.px(8)), range};
  f.legend = {0, 0, width, pen.px(24)};
  f.ruler = {f.axis.left, f.legend.bottom(), f.axis.width, pen.px(22)};
  f.head = pen.px(22);
  const float top = f.ruler.bottom();
  const BarHeights bars = beside_bar_heights(input, pen);
  const float least_bars = std::min(bars.least, height * kMostBesideBars);
  const auto rows_of = [&](float grow) {
    f.rows = folded_rows(input.run, input.residual.device, grow, pen);
    f.measured_rows = measured_strips(input, grow, pen);
    return 2 * f.head + f.rows.height + strips_height(f.measured_rows, pen);
  };
  float lanes = rows_of(1);
  const float room = std::max(0.0F, height - top - least_bars);
  if (lanes < room) lanes = rows_of(std::min(kMostBesideGrowth, room / lanes));
  // What the lanes leave free has room for more operations.
  const float bars_height = std::max(least_bars, std::min(bars.most, height - top - lanes));
  f.bars = {0, height - bars_height, width, bars_height};
  f.lanes = {f.axis.left, top, f.axis.width, std::max(0.0F, f.bars.y - top)};
  f.simulated = {0, f.lanes.y, width, f.head + f.rows.height};
  f.measured = {0, f.simulated.bottom(), width, f.head + strips_height(f.measured_rows, pen)};
  f.overflow = std::max(0.0F, f.measured.bottom() - f.lanes.bottom());
  const float scroll = std::clamp(viewport.scroll_y, 0.0F, f.overflow);
  f.simulated.y -= scroll;
  f.measured.y -= scroll;
  return f;
}

Scene layout_beside(const BesideInput& input, const BesideViewport& viewport, const BesideMarks& marks,
                    const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const BesideFrame f = beside_frame(input, viewport, pen);
  draw_simulated(pen, input, f, viewport, marks);
  draw_head(pen, {f.measured.x, f.measured.y, f.measured.w, f.head}, measured_words(input));
  draw_measured_lanes(pen, input, f, viewport, marks);
  draw_ends(pen, input, f);
  draw_top(pen, input, f, marks);
  draw_beside_bars(pen, input, f.bars, viewport);
  return scene;
}

TimeRange beside_bounds(const Residual& r) {
  return {0, std::max<Picoseconds>({1, r.simulated, r.measured})};
}

TimeAxis beside_axis(const BesideInput& input, const BesideViewport& viewport, const Canvas& canvas) {
  Scene unused;
  return beside_frame(input, viewport, Pen(unused, canvas)).axis;
}

float beside_overflow(const BesideInput& input, const BesideViewport& viewport, const Canvas& canvas) {
  Scene unused;
  return beside_frame(input, viewport, Pen(unused, canvas)).overflow;
}

TimeRange beside_range_of(const BesideInput& input, int operation) {
  const Residual& r = input.residual;
  if (operation < 0 || operation >= std::ssize(r.operations)) return {};
  TimeRange out = r.operations[static_cast<size_t>(operation)].range;
  for (const int32_t number : drawn_events(r, input.trace, operation)) {
    const MeasuredEvent& e = input.trace.events[static_cast<size_t>(number)];
    const Picoseconds begin = r.steps[r.step].start;
    const bool empty = out.length() <= 0;
    out = {empty ? e.start - begin : std::min(out.start, e.start - begin),
           empty ? e.end - begin : std::max(out.end, e.end - begin)};
  }
  if (out.length() <= 0) return {};
  const TimeRange bounds = beside_bounds(r);
  const Picoseconds margin = out.length() / 8;
  return {std::max(bounds.start, out.start - margin), std::min(bounds.end, out.end + margin)};
}

int beside_operation(const BesideInput& input, const ItemId& item) {
  if (item.kind == ItemId::Kind::candidate) return item.index;
  if (item.kind != ItemId::Kind::event || item.event < 0) return -1;
  if (item.index == kMeasuredTag)
    return item.event < std::ssize(input.residual.operation_of)
               ? input.residual.operation_of[static_cast<size_t>(item.event)]
               : -1;
  const auto event = input.run.trace.event(item.event);
  return event.ok() ? operation_of(input.residual, event->instruction) : -1;
}

std::vector<std::string> describe_measured(const BesideInput& input, int32_t number) {
  const MeasuredEvent& e = input.trace.events[static_cast<size_t>(number)];
  const MeasuredOperation& op = input.trace.operations[static_cast<size_t>(e.operation)];
  std::vector<std::string> out{say("measured: {}, {}", op.op, format_picoseconds(e.duration()))};
  if (e.wait > 0)
    out.push_back(say("of that {} waiting for the last device to arrive", format_picoseconds(e.wait)));
  if (!op.shapes.empty()) out.push_back(op.shapes);
  const int operation = input.residual.operation_of[static_cast<size_t>(number)];
  if (operation < 0) {
    out.push_back(said("it is not an operation of this run"));
    return out;
  }
  const ResidualOperation& row = input.residual.operations[static_cast<size_t>(operation)];
  out.push_back(say("is {}, {}", row.instruction, row.op));
  if (row.measured)
    out.push_back(say("a step measured {}, simulated {}: {}", format_picoseconds(*row.measured),
                      format_picoseconds(row.simulated), signed_picoseconds(row.residual())));
  return out;
}

}  // namespace shardscope::inline views
