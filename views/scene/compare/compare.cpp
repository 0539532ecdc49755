// SPDX-License-Identifier: Apache-2.0
#include "views/scene/compare/compare.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/compare/compare_parts.h"

namespace shardscope::inline views {
namespace {

constexpr float kMostBars = 0.4F;  // of the height
constexpr float kMostGrowth = 2;   // of lanes

float label_width(const CompareInput& input, const Pen& pen) {
  float width = 0;
  for (const ViewInput& run : input.runs)
    for (const Lane& lane : run.trace.lanes()) width = std::max(width, pen.width(lane.name, 0.85F));
  return width + pen.px(24);
}

// Its letter, its name and where its time goes.
std::vector<std::string> head_wordings(const RunDifference& d, size_t run) {
  const ComparedRun& r = d.runs[run];
  const std::string name = r.label.empty() ? r.strategy : r.strategy + " (" + r.label + ")";
  const std::string number = r.id ? fmt::format(" · run {}", *r.id) : "";
  const std::string total = format_picoseconds(r.total);
  const std::string gap = run > 0 ? fmt::format(" ({})", signed_picoseconds(d.gap(run))) : "";
  std::string terms;
  for (const TimeRow& row : d.terms) {
    const std::string time = format_picoseconds(row.values[run]);
    terms += fmt::format("{}{} {}", terms.empty() ? "" : ", ", said(row.name), time);
  }
  return {fmt::format("{}{}  {}{}  {}", name, number, total, gap, terms),
          fmt::format("{}  {}{}", name, total, gap), fmt::format("{}  {}", name, total), total};
}

void draw_run_head(Pen& pen, const RunDifference& d, size_t run, const Rect& box) {
  ItemId item;
  item.kind = ItemId::Kind::candidate;
  item.index = static_cast<int32_t>(run);
  const int32_t id = pen.id(item);
  pen.rect(box, pen.theme.panel, id);
  const float middle = box.y + box.h / 2;
  const TextStyle bold{pen.theme.text, 1, Align::left, Face::bold};
  pen.text({box.x + pen.px(8), middle}, letter_of(run), bold);
  const auto wordings = head_wordings(d, run);
  const float room = box.w - pen.px(36);
  pen.text({box.x + pen.px(28), middle}, pen.fitting(wordings, room), {pen.theme.text});
  pen.accessible(box, id, letter_of(run) + ", " + wordings.front());
}

void draw_lane_names(Pen& pen, const ViewInput& input, const TimelineFrame& frame, const TimelineRows& rows) {
  for (const LaneStrip& strip : rows.strips) {
    const std::string& name = input.trace.lanes()[static_cast<size_t>(strip.lane)].name;
    pen.text({frame.labels.right() - pen.px(8), frame.plot.y + rows.rows.front().y + strip.y + strip.h / 2},
             name, {pen.theme.muted_text, 0.85F, Align::right});
  }
}

// The lanes alone: labels and rulers are drawn for all runs together.
TimelineFrame frame_of(const CompareFrame& f, size_t run, Picoseconds offset) {
  const Rect& block = f.blocks[run];
  TimelineFrame out;
  out.area = {f.axis.left, block.y + f.head, f.axis.width, block.h - f.head};
  out.plot = out.area;
  out.labels = {0, out.plot.y, f.labels, out.plot.h};
  out.axis = {f.axis.left, f.axis.width, {f.axis.range.start - offset, f.axis.range.end - offset}};
  return out;
}

void draw_run(Pen& pen, const CompareInput& input, const CompareFrame& f, size_t run,
              const CompareViewport& viewport, const CompareMarks& marks) {
  const Rect& block = f.blocks[run];
  if (block.bottom() < f.runs.y || block.y > f.runs.bottom()) return;
  const TimelineFrame frame = frame_of(f, run, compare_offset(input.difference, viewport, run));
  TimelineViewport lanes;
  lanes.arrows = false;
  Selection selection;
  const auto tag = static_cast<int32_t>(run);
  if (marks.hovered.index == tag) selection.hovered = marks.hovered;
  if (marks.selected.index == tag) selection.selected = marks.selected;
  draw_run_head(pen, input.difference, run, {block.x, block.y, block.w, f.head});
  draw_lane_names(pen, input.runs[run], frame, f.rows[run]);
  const TimelineContext context{input.runs[run], lanes, selection, frame, f.rows[run], tag};
  draw_timeline_strips(pen, context);
  draw_critical_path(pen, context);
  draw_same(pen, context, input.difference, run, same_marks(input, viewport, marks));
}

// Where each run ends, as a thin line over its lanes.
void draw_ends(Pen& pen, const CompareInput& input, const CompareFrame& f, const CompareViewport& viewport) {
  for (size_t r = 0; r < f.blocks.size(); ++r) {
    const float x =
        f.axis.x_of(compare_offset(input.difference, viewport, r) + input.difference.runs[r].total);
    if (x < f.axis.left || x > f.axis.left + f.axis.width) continue;
    pen.line({x, f.blocks[r].y + f.head}, {x, f.blocks[r].bottom()}, pen.theme.muted_text, 1.5F);
  }
}

void draw_ruler_and_cursor(Pen& pen, const CompareInput& input, const CompareFrame& f,
                           const CompareMarks& marks) {
  pen.rect({0, 0, pen.canvas.width, f.ruler.bottom()}, pen.theme.background);
  TimelineFrame common;
  common.area = common.plot = f.runs;
  common.ruler = f.ruler;
  common.axis = f.axis;
  const TimelineViewport viewport;
  Selection selection;
  selection.time = marks.cursor;
  draw_timeline_ruler(pen, {input.runs.front(), viewport, selection, common, f.rows.front()});
  const float x = f.axis.x_of(marks.cursor);
  if (marks.cursor < 0 || x < f.axis.left - 1 || x > f.axis.left + f.axis.width + 1) return;
  pen.line({x, f.ruler.bottom()}, {x, f.runs.bottom()}, pen.theme.focus, 2);
  const std::string label = format_picoseconds(marks.cursor);
  const float width = pen.width(label, 0.85F, Face::bold) + pen.px(8);
  const Rect box{std::clamp(x - width / 2, 0.0F, std::max(0.0F, pen.canvas.width - width)), f.ruler.y + 1,
                 width, f.ruler.h - pen.px(4)};
  pen.rect(box, pen.theme.focus);
  pen.text({box.x + box.w / 2, box.y + box.h / 2}, label,
           {text_on(pen.theme, pen.theme.focus), 0.85F, Align::center, Face::bold});
  pen.accessible(box, -1, "cursor " + label);
}

}  // namespace

CompareFrame compare_frame(const CompareInput& input, const CompareViewport& viewport, const Pen& pen) {
  CompareFrame f;
  const float width = pen.canvas.width, height = pen.canvas.height;
  f.labels = std::min(label_width(input, pen), width * 0.3F);
  const TimeRange range =
      viewport.range.length() > 0 ? viewport.range : compare_bounds(input.difference, viewport);
  f.axis = {f.labels, std::max(1.0F, width - f.labels - pen.px(8)), range};
  f.ruler = {f.axis.left, 0, f.axis.width, pen.px(22)};
  const float bars = std::min(compare_bars_height(input.difference, pen), height * kMostBars);
  f.bars = {0, height - bars, width, bars};
  f.runs = {f.axis.left, f.ruler.bottom(), f.axis.width, std::max(0.0F, f.bars.y - f.ruler.bottom())};
  f.head = pen.px(22);
  // Few runs share the room that there is.
  const auto rows_of = [&](float grow) {
    float all = 0;
    f.rows.clear();
    for (size_t r = 0; r < input.runs.size(); ++r) {
      f.rows.push_back(folded_rows(input.runs[r], input.difference.runs[r].device, grow, pen));
      all += f.head + f.rows.back().height;
    }
    return all;
  };
  const float least = rows_of(1);
  if (least < f.runs.h) rows_of(std::min(kMostGrowth, f.runs.h / least));
  float y = f.runs.y;
  for (size_t r = 0; r < input.runs.size(); ++r) {
    const float h = f.head + f.rows[r].height;
    f.blocks.push_back({0, y, width, h});
    y += h;
  }
  f.overflow = std::max(0.0F, y - f.runs.bottom());
  const float scroll = std::clamp(viewport.scroll_y, 0.0F, f.overflow);
  for (Rect& block : f.blocks) block.y -= scroll;
  return f;
}

Scene layout_compare(const CompareInput& input, const CompareViewport& viewport, const CompareMarks& marks,
                     const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  if (compare_bounds(input.difference, viewport).length() <= 1) {
    pen.empty_state("Runs on one time axis", "None of them takes any time.");
    return scene;
  }
  const CompareFrame f = compare_frame(input, viewport, pen);
  for (size_t r = 0; r < input.runs.size(); ++r) draw_run(pen, input, f, r, viewport, marks);
  draw_ends(pen, input, f, viewport);
  draw_ruler_and_cursor(pen, input, f, marks);
  draw_compare_bars(pen, input.difference, f.bars, marks.hovered);
  return scene;
}

Picoseconds compare_offset(const RunDifference& d, const CompareViewport& viewport, size_t run) {
  Picoseconds latest = 0;
  if (viewport.line_up == LineUp::end) {
    for (const ComparedRun& r : d.runs) latest = std::max(latest, r.total);
    return latest - d.runs[run].total;
  }
  const auto place = static_cast<size_t>(viewport.operation);
  if (viewport.line_up == LineUp::start || viewport.operation < 0 || place >= d.operations.size()) return 0;
  const OperationRow& row = d.operations[place];
  for (const OperationSide& side : row.sides) latest = std::max(latest, side.range.start);
  // A run without it begins with the others.
  return row.sides[run].there() ? latest - row.sides[run].range.start : 0;
}

TimeRange compare_bounds(const RunDifference& d, const CompareViewport& viewport) {
  TimeRange out{0, 1};
  for (size_t r = 0; r < d.runs.size(); ++r)
    out.end = std::max(out.end, compare_offset(d, viewport, r) + d.runs[r].total);
  return out;
}

TimeAxis compare_axis(const CompareInput& input, const CompareViewport& viewport, const Canvas& canvas) {
  Scene unused;
  return compare_frame(input, viewport, Pen(unused, canvas)).axis;
}

float compare_overflow(const CompareInput& input, const CompareViewport& viewport, const Canvas& canvas) {
  Scene unused;
  return compare_frame(input, viewport, Pen(unused, canvas)).overflow;
}

float compare_scroll_to(const CompareInput& input, const CompareViewport& viewport, const Canvas& canvas,
                        size_t run) {
  Scene unused;
  const CompareFrame f = compare_frame(input, viewport, Pen(unused, canvas));
  const Rect& block = f.blocks[run];
  float by = std::max(0.0F, block.bottom() - f.runs.bottom());
  by = std::min(by, block.y - f.runs.y);  // its head before its end
  return std::clamp(viewport.scroll_y + by, 0.0F, f.overflow);
}

TimeRange compare_range_of(const RunDifference& d, const CompareViewport& viewport, int operation) {
  if (operation < 0 || static_cast<size_t>(operation) >= d.operations.size()) return {};
  const OperationRow& row = d.operations[static_cast<size_t>(operation)];
  TimeRange out{INT64_MAX, INT64_MIN};
  for (size_t r = 0; r < row.sides.size(); ++r) {
    if (!row.sides[r].there()) continue;
    const Picoseconds offset = compare_offset(d, viewport, r);
    out = {std::min(out.start, row.sides[r].range.start + offset),
           std::max(out.end, row.sides[r].range.end + offset)};
  }
  if (out.start >= out.end) return {};
  const TimeRange bounds = compare_bounds(d, viewport);
  const Picoseconds margin = out.length() / 8;
  return {std::max(bounds.start, out.start - margin), std::min(bounds.end, out.end + margin)};
}

int operation_of(const RunDifference& d, size_t run, int32_t instruction) {
  for (size_t o = 0; o < d.operations.size(); ++o)
    if (std::ranges::binary_search(d.operations[o].sides[run].instructions, instruction))
      return static_cast<int>(o);
  return -1;
}

}  // namespace shardscope::inline views
