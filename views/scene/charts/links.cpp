// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/core/pen.h"
#include "views/scene/story/event_text.h"

namespace shardscope::inline views {
namespace {

// How long one link sends, and what.
struct LinkUse {
  int32_t device = -1;  // whose link it is
  int lane = -1;
  Picoseconds busy = 0;
  int64_t bytes = 0;
};

std::vector<int> link_lanes(const TraceSource& trace) {
  std::vector<int> out;
  for (size_t l = 0; l < trace.lanes().size(); ++l) {
    const LaneKind kind = trace.lanes()[l].kind;
    if (kind == LaneKind::link || kind == LaneKind::port) out.push_back(static_cast<int>(l));
  }
  return out;
}

LinkUse use_of(const TraceSource& trace, int32_t device, int lane, TimeRange range) {
  LinkUse load{device, lane, 0, 0};
  const auto bins = trace.bins(DeviceId(device), lane, range, 1);
  if (!bins.ok()) return load;
  for (const LaneBin& bin : *bins) {
    load.busy += bin.busy;
    load.bytes += bin.bytes;
  }
  load.busy = std::min(load.busy, range.length());  // an event may begin before the range
  return load;
}

bool less_busy(const LinkUse& a, const LinkUse& b) {
  return a.busy < b.busy;
}

// A row per device or, where they are more than fit, per so many: then the busiest of them.
struct LinkTable {
  std::vector<int> lanes;
  int32_t per_row = 1;
  std::vector<std::vector<LinkUse>> rows;
  LinkUse busiest;
  int64_t idle = 0;
};

LinkTable link_table(const TraceSource& trace, TimeRange range, int32_t most_rows) {
  LinkTable table;
  table.lanes = link_lanes(trace);
  table.per_row = std::max(1, (trace.devices() + most_rows - 1) / most_rows);
  for (int32_t device = 0; device < trace.devices(); ++device) {
    if (device % table.per_row == 0) table.rows.emplace_back(table.lanes.size());
    for (size_t l = 0; l < table.lanes.size(); ++l) {
      const LinkUse load = use_of(trace, device, table.lanes[l], range);
      LinkUse& cell = table.rows.back()[l];
      if (cell.device < 0 || less_busy(cell, load)) cell = load;
      if (table.busiest.device < 0 || less_busy(table.busiest, load)) table.busiest = load;
      if (load.busy == 0) ++table.idle;
    }
  }
  return table;
}

double share(const LinkUse& load, TimeRange range) {
  return static_cast<double>(load.busy) / static_cast<double>(range.length());
}

std::string words(const ViewInput& input, const LinkUse& load, TimeRange range) {
  return say("device {}, {}: {} busy, {}", device_name(input.run.mesh, load.device),
             lane_name(input, load.lane), format_percent(share(load, range)),
             format_bytes(static_cast<double>(load.bytes)));
}

void draw_cell(Pen& pen, const ViewInput& input, const LinkUse& load, const Rect& at, TimeRange range,
               const Selection& selection) {
  ItemId item;
  item.kind = ItemId::Kind::device;
  item.device = load.device;
  item.lane = load.lane;
  const int32_t id = pen.id(item);
  const Color fill = load.busy == 0 ? pen.theme.panel : cividis(share(load, range));
  pen.rect(at, fill, id);
  if (selection.selected.device == load.device) pen.outline(at, pen.theme.selection, 2, id);
  pen.accessible(at, id, words(input, load, range));
  pen.text_in(at, load.busy == 0 ? "–" : format_percent(share(load, range)),
              {load.busy == 0 ? pen.theme.muted_text : text_on(pen.theme, fill), 0.85F, Align::center});
}

// Beside each other in how many parts the rows have room for their names; 1 where no number of parts helps.
size_t parts_of(const Pen& pen, const LinkTable& table, const Rect& plot) {
  const float line = pen.text_px(0.85F) * 1.1F, cell = pen.width("100 %", 0.85F) + pen.px(6);
  const auto rows = static_cast<float>(table.rows.size());
  for (size_t parts = 1; parts <= 4; ++parts) {
    const auto n = static_cast<float>(parts);
    const float room = plot.w / n - (parts > 1 ? plot.x : 0);
    if (parts > 1 && room < cell * static_cast<float>(table.lanes.size())) break;
    if (plot.h / std::ceil(rows / n) >= line) return parts;
  }
  return 1;
}

struct LinkPicture {
  const ViewInput& input;
  TimeRange range;
  const Selection& selection;
};

struct Rows {
  size_t first, last;  // half open
};

void draw_rows(Pen& pen, const LinkPicture& of, const LinkTable& table, Rows rows, const Rect& plot) {
  const auto [first, last] = rows;
  const float cell_w = plot.w / static_cast<float>(table.lanes.size());
  const float cell_h = std::min(plot.h / static_cast<float>(last - first), pen.px(28));
  const float gap = cell_h > 6 ? 1.0F : 0.0F;
  for (size_t l = 0; l < table.lanes.size(); ++l) {
    const Point head{plot.x + cell_w * (static_cast<float>(l) + 0.5F), plot.y - pen.px(10)};
    pen.text(head, pen.elided(lane_name(of.input, table.lanes[l]), cell_w, 0.85F),
             {pen.theme.muted_text, 0.85F, Align::center});
  }
  for (size_t r = first; r < last; ++r) {
    const float y = plot.y + cell_h * static_cast<float>(r - first);
    if (cell_h >= pen.text_px(0.85F)) {
      const auto device = static_cast<int32_t>(r) * table.per_row;
      pen.text({plot.x - pen.px(6), y + cell_h / 2}, device_name(of.input.run.mesh, device),
               {pen.theme.muted_text, 0.85F, Align::right});
    }
    for (size_t l = 0; l < table.lanes.size(); ++l) {
      const Rect at{plot.x + cell_w * static_cast<float>(l), y, cell_w - gap, cell_h - gap};
      draw_cell(pen, of.input, table.rows[r][l], at, of.range, of.selection);
    }
  }
}

void draw_table(Pen& pen, const LinkPicture& of, const LinkTable& table, const Rect& plot) {
  const size_t parts = parts_of(pen, table, plot);
  const size_t each = (table.rows.size() + parts - 1) / parts;
  const float step = (plot.w + plot.x) / static_cast<float>(parts);
  for (size_t part = 0; part * each < table.rows.size(); ++part) {
    const size_t first = part * each;
    const float left = plot.x + step * static_cast<float>(part);
    const Rect room{left, plot.y, step - plot.x, plot.h};
    draw_rows(pen, of, table, {first, std::min(first + each, table.rows.size())}, room);
  }
}

std::string summary(const ViewInput& input, const LinkTable& table, TimeRange range) {
  std::string text = said("busiest: ") + words(input, table.busiest, range);
  if (table.idle > 0) text += say_count("; {} link carries nothing", "; {} links carry nothing", table.idle);
  if (table.per_row > 1) text += say("; each row the busiest of {} devices", table.per_row);
  return text;
}

}  // namespace

Scene layout_links(const ViewInput& input, const Selection& selection, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const TimeRange range =
      selection.range && selection.range->length() > 0 ? *selection.range : TimeRange{0, input.trace.total()};
  const int32_t last = input.trace.devices() - 1;
  const std::string longest = last < 0 ? "" : device_name(input.run.mesh, last);
  const float left = std::min(pen.width(longest, 0.85F) + pen.px(20), canvas.width / 2);
  const Rect plot{left, pen.px(60), std::max(1.0F, canvas.width - left - pen.px(12)),
                  std::max(1.0F, canvas.height - pen.px(60) - pen.px(36))};
  const LinkTable table = link_table(input.trace, range, std::max(1, static_cast<int>(plot.h)));
  if (table.lanes.empty() || table.busiest.busy == 0) {
    pen.empty_state(said("Links shows how long each link of the mesh sends"),
                    input.trace.events_kept() == 0 ? said("This run has no events.")
                                                   : said("Nothing is sent in this range."));
    return scene;
  }
  const std::string title = say("part of {} that each link sends", format_picoseconds(range.length()));
  pen.text({pen.px(12), pen.px(14)}, pen.elided(title, canvas.width - pen.px(24), 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  draw_table(pen, {input, range, selection}, table, plot);
  pen.text({pen.px(12), canvas.height - pen.px(16)},
           pen.elided(summary(input, table, range), canvas.width - pen.px(24)),
           {pen.theme.text, 1, Align::left});
  return scene;
}

}  // namespace shardscope::inline views
