// SPDX-License-Identifier: Apache-2.0
// The lanes of one run among several, and what on them does the same as what is pointed at elsewhere.
#include <algorithm>

#include "views/scene/compare/compare_parts.h"
#include "views/scene/story/event_text.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kMostMarked = 2000;  // events of a lane that are looked at

// What an event carries, in names that all runs share.
std::set<std::string> blocks_of(const ViewInput& input, int32_t event) {
  std::set<std::string> out;
  if (input.story == nullptr) return out;
  for (const Carried& carried : input.story->carried(event)) {
    if (carried.piece < 0) continue;
    BlockPart whole = carried.what;
    whole.part = whole.parts = 1;
    out.insert(name_of(*input.story, whole));
  }
  return out;
}

bool any_common(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::any_of(a, [&](const std::string& name) { return b.contains(name); });
}

}  // namespace

TimelineRows folded_rows(const ViewInput& input, int32_t device, float grow, const Pen& pen) {
  TimelineRows out;
  out.rows = {DeviceRow{.devices = {device}, .shown = device, .y = pen.px(3)}};
  out.row_of.assign(static_cast<size_t>(std::max(0, input.trace.devices())), 0);
  const TimeRange whole{0, std::max<Picoseconds>(1, input.trace.total())};
  const std::vector<Lane>& lanes = input.trace.lanes();
  float y = 0;
  for (size_t l = 0; l < lanes.size(); ++l) {
    const bool compute = lanes[l].kind == LaneKind::compute;
    const auto bins = input.trace.bins(DeviceId(device), static_cast<int>(l), whole, 1);
    if (!compute && (!bins.ok() || bins->empty())) continue;
    const float h = pen.px(compute ? 20 : 14) * grow;
    out.strips.push_back({static_cast<int>(l), y, h});
    y += h + pen.px(4);
  }
  out.row_height = y + pen.px(6);
  out.rows.front().h = out.row_height;
  out.height = pen.px(3) + out.row_height;
  return out;
}

ItemId compare_event_of(const CompareInput& input, int operation, const ItemId& from, int by) {
  if (operation < 0 || static_cast<size_t>(operation) >= input.difference.operations.size()) return {};
  const OperationRow& row = input.difference.operations[static_cast<size_t>(operation)];
  auto run = static_cast<size_t>(std::max(0, from.index));
  const bool follows = from.kind == ItemId::Kind::event && from.index >= 0 && run < row.sides.size() &&
                       std::ranges::binary_search(row.sides[run].instructions, from.instruction);
  while (!follows && run < row.sides.size() && !row.sides[run].there()) ++run;
  if (run >= row.sides.size()) return {};
  const auto& events = input.runs[run].run.timeline.events;
  std::vector<int32_t> own;
  for (size_t e = 0; e < events.size(); ++e)
    if (events[e].device == input.difference.runs[run].device &&
        std::ranges::binary_search(row.sides[run].instructions, events[e].instruction))
      own.push_back(static_cast<int32_t>(e));
  if (own.empty()) return {};
  std::ranges::stable_sort(own, {}, [&](int32_t e) { return events[static_cast<size_t>(e)].start; });
  size_t place = by > 0 ? 0 : own.size() - 1;
  if (follows) {
    const auto at = std::ranges::find(own, from.event) - own.begin();
    if (at < std::ssize(own))
      place = static_cast<size_t>(std::clamp<std::ptrdiff_t>(at + by, 0, std::ssize(own) - 1));
  }
  ItemId out;
  out.kind = ItemId::Kind::event;
  out.event = own[place];
  out.instruction = events[static_cast<size_t>(out.event)].instruction;
  out.device = events[static_cast<size_t>(out.event)].device;
  out.index = static_cast<int32_t>(run);
  return out;
}

SameMarks same_marks(const CompareInput& input, const CompareViewport& viewport, const CompareMarks& marks) {
  SameMarks out;
  out.chosen_operation = viewport.operation;
  const ItemId& hovered = marks.hovered;
  const auto run = static_cast<size_t>(hovered.index);
  if (hovered.kind != ItemId::Kind::event || hovered.index < 0 || run >= input.runs.size()) return out;
  const auto event = find_event(input.runs[run], hovered.event);
  if (!event) return out;
  out.blocks = blocks_of(input.runs[run], hovered.event);
  if (out.blocks.empty()) out.hovered_operation = operation_of(input.difference, run, event->instruction);
  return out;
}

void draw_same(Pen& pen, const TimelineContext& c, const RunDifference& difference, size_t run,
               const SameMarks& marks) {
  if (marks.blocks.empty() && marks.hovered_operation < 0 && marks.chosen_operation < 0) return;
  const int32_t device = c.rows.rows.front().devices.front();
  pen.scene.push_clip(c.frame.plot);
  for (const LaneStrip& strip : c.rows.strips) {
    const auto numbers = c.input.trace.events(DeviceId(device), strip.lane, c.frame.axis.range);
    if (!numbers.ok() || numbers->size() > kMostMarked) continue;
    const Rect lane = c.rows.strip(c.frame, 0, device, strip.lane);
    for (const int32_t number : *numbers) {
      const auto event = find_event(c.input, number);
      if (!event) continue;
      const int operation = operation_of(difference, run, event->instruction);
      const bool chosen = operation >= 0 && operation == marks.chosen_operation;
      const bool same = (operation >= 0 && operation == marks.hovered_operation) ||
                        (!marks.blocks.empty() && any_common(blocks_of(c.input, number), marks.blocks));
      if (!chosen && !same) continue;
      const float from = std::max(lane.x - 2, c.frame.axis.x_of(event->start));
      const float to = std::min(lane.right() + 2, c.frame.axis.x_of(event->end));
      pen.outline({from, lane.y, std::max(1.0F, to - from), lane.h},
                  same ? pen.theme.hover : pen.theme.selection, same ? 1.5F : 2);
    }
  }
  pen.scene.pop_clip();
}

}  // namespace shardscope::inline views
