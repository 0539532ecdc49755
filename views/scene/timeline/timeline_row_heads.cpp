// SPDX-License-Identifier: Apache-2.0
// What stands left of the rows: which device, how many are the same, which lane; the heads of groups.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/story/event_text.h"
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope::inline views {
namespace {

std::string group_name(const TimelineContext& c, const DeviceRow& row) {
  return fmt::format("{}={}", c.viewport.rows.group, row.group);
}

std::string same_text(const TimelineContext& c, const DeviceRow& row) {
  if (row.folded) return counted(row.group_size, "device");
  return row.devices.size() > 1 ? say("{}×{} same", c.rows.exact ? "" : "≈ ", row.devices.size()) : "";
}

// "device (0,1), ×16 same, pinned"; "row=3, 64 devices, folded: (3,5) waits most".
std::string row_name(const TimelineContext& c, size_t r) {
  const DeviceRow& row = c.rows.rows[r];
  const std::string device = device_name(c.input.run.mesh, row.shown);
  const std::string same = same_text(c, row);
  if (row.folded) return say("{}, {}, folded: {} waits most", group_name(c, row), same, device);
  const bool pinned = std::ranges::find(c.viewport.rows.pinned, row.shown) != c.viewport.rows.pinned.end();
  const std::string name = say("device {}", device) + (same.empty() ? "" : ", " + same);
  return pinned ? say("{}, pinned", name) : name;
}

int32_t fold_id(Pen& pen, const DeviceRow& row) {
  ItemId item;
  item.kind = ItemId::Kind::handle;
  item.lane = kGroupHandle;
  item.index = static_cast<int32_t>(row.group);
  return pen.id(item);
}

void draw_fold_mark(Pen& pen, Point at, bool folded, Color color) {
  const float a = pen.px(3);
  const std::vector<Point> open{{at.x - a, at.y - a / 2}, {at.x, at.y + a / 2}, {at.x + a, at.y - a / 2}};
  const std::vector<Point> shut{{at.x - a / 2, at.y - a}, {at.x + a / 2, at.y}, {at.x - a / 2, at.y + a}};
  pen.scene.add(LineItem{folded ? shut : open, color, 1.5F, false, false, -1});
}

// Of a group whose devices follow.
void draw_group_head(Pen& pen, const TimelineContext& c, const DeviceRow& row, float top) {
  const Rect box{c.frame.area.x, top, c.frame.plot.right() - c.frame.area.x, row.h};
  const int32_t id = fold_id(pen, row);
  pen.rect(box, pen.theme.panel, id);
  const std::string name = group_name(c, row) + " · " + counted(row.group_size, "device");
  draw_fold_mark(pen, {box.x + pen.px(10), top + row.h / 2}, false, pen.theme.text);
  pen.text({box.x + pen.px(18), top + row.h / 2}, name, {pen.theme.text, 1, Align::left, Face::bold});
  pen.accessible(box, id, say("{}, {}, unfolded", group_name(c, row), counted(row.group_size, "device")));
}

void draw_names(Pen& pen, const TimelineContext& c, const DeviceRow& row, float top) {
  const float line = pen.text_px();
  const float h = c.rows.row_height;
  const float x = c.frame.labels.x + pen.px(row.folded ? 18 : 8);
  const float first =
      std::min(h, c.rows.thin || c.rows.strips.empty() ? std::max(line, std::min(h, pen.px(20)))
                                                       : c.rows.strips.front().h);
  if (row.folded) draw_fold_mark(pen, {x - pen.px(8), top + first / 2}, true, pen.theme.text);
  const std::string name = row.folded ? group_name(c, row) : device_name(c.input.run.mesh, row.shown);
  const std::string same = same_text(c, row);
  pen.text({x, top + first / 2}, name, {pen.theme.text, 1, Align::left, Face::bold});
  const float second = first + pen.px(9);
  if (second + line / 2 <= h - pen.px(2))
    pen.text({x, top + second}, same, {pen.theme.muted_text, 0.85F, Align::left});
  if (row.folded && second + line * 1.5F <= h)
    pen.text({x, top + second + line}, device_name(c.input.run.mesh, row.shown),
             {pen.theme.muted_text, 0.85F, Align::left});
}

void draw_lane_names(Pen& pen, const TimelineContext& c, float top) {
  if (c.rows.thin) return;
  for (const LaneStrip& strip : c.rows.strips) {
    if (strip.h + pen.px(4) < pen.text_px(0.85F)) continue;
    pen.text({c.frame.labels.right() - pen.px(6), top + strip.y + strip.h / 2},
             lane_name(c.input, strip.lane), {pen.theme.muted_text, 0.85F, Align::right});
  }
}

// `named`: there is room for its name below the last one that was written.
void draw_head(Pen& pen, const TimelineContext& c, size_t r, bool named) {
  const DeviceRow& row = c.rows.rows[r];
  const float top = c.rows.top(c.frame, c.viewport.scroll_y, r);
  if (row.shown < 0) return draw_group_head(pen, c, row, top);
  const float gap = c.rows.thin ? 0 : pen.px(6);
  const Rect box{c.frame.labels.x, top, c.frame.labels.w, row.h - gap};
  ItemId item;
  item.kind = ItemId::Kind::device;
  item.device = row.shown;
  const int32_t id = row.folded ? fold_id(pen, row) : pen.id(item);
  pen.rect(box, {0, 0, 0, 0}, id);
  pen.accessible(box, id, row_name(c, r));
  if (named) draw_names(pen, c, row, top);
  draw_lane_names(pen, c, top);
  if (row.h < pen.px(12)) return;
  const float under = top + row.h - pen.px(c.rows.thin ? 1 : 5);
  pen.line({c.frame.area.x, under}, {c.frame.plot.right(), under}, pen.theme.rule);
}

}  // namespace

void draw_row_heads(Pen& pen, const TimelineContext& c) {
  const auto spans = c.rows.visible(c.frame, c.viewport.scroll_y);
  for (const auto& [first, last] : spans) {
    if (first == last) continue;
    const Rect room = c.rows.room(c.frame, first);
    pen.scene.push_clip({c.frame.area.x, room.y, c.frame.area.w, room.h});
    float free_from = room.y - pen.text_px();
    for (size_t r = first; r < last; ++r) {
      const float top = c.rows.top(c.frame, c.viewport.scroll_y, r);
      const bool named = c.rows.rows[r].h >= pen.text_px() || top >= free_from;
      draw_head(pen, c, r, named);
      if (named) free_from = top + pen.text_px() * 1.1F;
    }
    pen.scene.pop_clip();
  }
  if (c.rows.pinned_height > 0) {
    const float y = c.frame.plot.y + c.rows.pinned_height;
    pen.line({c.frame.area.x, y}, {c.frame.plot.right(), y}, pen.theme.muted_text, 2);
  }
}

}  // namespace shardscope::inline views
