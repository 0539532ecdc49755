// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/core/pen.h"
#include "views/scene/core/ticks.h"
#include "views/scene/story/range_sums.h"

namespace shardscope::inline views {
namespace {

constexpr int kLeastBins = 4;

struct Grid {
  Rect plot;
  float label_w = 0, sum_w = 0;
  float cell_h = 1;
};

Grid grid_of(const Pen& pen) {
  Grid out;
  const float width = pen.canvas.width;
  out.sum_w = std::min(pen.px(64), width * 0.14F);
  out.label_w = std::min(pen.px(250), width * 0.34F);
  out.plot = {out.label_w, pen.px(52), std::max(1.0F, width - out.label_w - out.sum_w - pen.px(8)),
              std::max(1.0F, pen.canvas.height - pen.px(52) - pen.px(30))};
  return out;
}

// As many as leave room for "100 %" and divide those that a run is summed in.
int bins_of(const Pen& pen, const Grid& grid) {
  const int most = std::max(kLeastBins, static_cast<int>(grid.plot.w / pen.px(42)));
  int bins = kLeastBins;
  for (int parts = kLeastBins; parts <= std::min(most, RunSums::kParts); ++parts)
    if (RunSums::kParts % parts == 0) bins = parts;
  return bins;
}

std::optional<OperationTimes> times_of(const ViewInput& input, const Selection& selection, int bins) {
  const std::vector<int32_t> devices = chosen_devices(input, selection);
  const bool all = std::ssize(devices) == input.run.timeline.devices;
  if (input.sums != nullptr && all && !input.sums->times.rows.empty())
    return in_parts(input.sums->times, bins);
  if (!can_be_summed(input)) return std::nullopt;
  return operation_times(input.run, operations_of(input), {0, input.trace.total()}, devices, bins);
}

double share_of(const OperationTimes& times, Picoseconds busy, TimeRange of) {
  const double all = static_cast<double>(of.length()) * times.devices;
  return all > 0 ? static_cast<double>(busy) / all : 0;
}

std::string devices_words(const ViewInput& input, const std::vector<int32_t>& devices) {
  if (devices.size() == 1 && input.run.timeline.devices > 1)
    return say("device {}", device_name(input.run.mesh, devices.front()));
  return say_count("{} device", "{} devices", std::ssize(devices));
}

std::string cell_words(const OperationTimes& times, const OperationTimes::Row& row, size_t bin) {
  const Picoseconds busy = row.busy[bin];
  return say("{}, {} to {}: {} on the average of {}, {}", row.key, format_picoseconds(times.bins[bin].start),
             format_picoseconds(times.bins[bin].end), format_picoseconds(busy / std::max(1, times.devices)),
             say_count("{} device", "{} devices", times.devices),
             format_percent(share_of(times, busy, times.bins[bin])));
}

ItemId cell_item(const OperationTimes::Row& row, int32_t bin) {
  ItemId item;
  item.kind = ItemId::Kind::instruction;
  item.instruction = row.instructions.front();
  item.index = bin;  // -1: the whole row
  return item;
}

bool in_row(const OperationTimes::Row& row, int32_t instruction) {
  return std::ranges::find(row.instructions, instruction) != row.instructions.end();
}

// A row of the table, or above those of layers that are alike where they are.
struct TableLine {
  const OperationTimes::Row* row = nullptr;
  std::string heading = {};
};

// The busiest place first; operations without one are as busy as they are alone.
std::vector<TableLine> lines_of(const OperationTimes& times) {
  std::vector<std::pair<Picoseconds, std::vector<const OperationTimes::Row*>>> groups;
  std::map<std::string, size_t> group_of;
  for (const OperationTimes::Row& row : times.rows) {
    const auto [found, is_new] = group_of.try_emplace(row.place, groups.size());
    if (is_new || row.place.empty()) groups.emplace_back();
    auto& [busy, rows] = groups[row.place.empty() ? groups.size() - 1 : found->second];
    busy += row.sum();
    rows.push_back(&row);
  }
  std::ranges::stable_sort(groups, std::greater<>(), [](const auto& group) { return group.first; });
  std::vector<TableLine> out;
  for (const auto& [busy, rows] : groups) {
    if (!rows.front()->place.empty()) out.push_back({nullptr, rows.front()->place});
    for (const OperationTimes::Row* row : rows) out.push_back({row});
  }
  return out;
}

struct Table {
  const ViewInput& input;
  const Selection& selection;
  const OperationTimes& times;
  Grid grid;
  std::vector<TableLine> lines;
  size_t shown = 0;  // of the lines have room

  Rect cell(size_t line, size_t bin) const {
    const auto bins = static_cast<float>(times.bins.size());
    const float left = grid.plot.x + grid.plot.w * static_cast<float>(bin) / bins;
    const float gap = grid.cell_h > 6 ? 1.0F : 0.0F;
    return {left, grid.plot.y + grid.cell_h * static_cast<float>(line), grid.plot.w / bins - gap,
            grid.cell_h - gap};
  }
};

void draw_cells(Pen& pen, const Table& t, size_t line) {
  const OperationTimes::Row& row = *t.lines[line].row;
  const ItemId& hovered = t.selection.hovered;
  for (size_t b = 0; b < t.times.bins.size(); ++b) {
    const Rect at = t.cell(line, b);
    const ItemId item = cell_item(row, static_cast<int32_t>(b));
    const int32_t id = pen.id(item);
    const double share = share_of(t.times, row.busy[b], t.times.bins[b]);
    const Color fill = row.busy[b] == 0 ? pen.theme.panel : cividis(share);
    pen.rect(at, fill, id);
    if (hovered == item) pen.outline(at, pen.theme.hover, 2, id);
    if (row.busy[b] == 0) continue;
    pen.accessible(at, id, cell_words(t.times, row, b));
    pen.text_in(at, format_percent(share), {text_on(pen.theme, fill), 0.85F, Align::center});
  }
}

void draw_heading(Pen& pen, const Table& t, size_t line) {
  const Rect first = t.cell(line, 0);
  const Rect box{pen.px(12), first.y, t.grid.plot.right() - pen.px(12), first.h};
  const std::string& text = t.lines[line].heading;
  pen.text({box.x, box.y + box.h / 2}, pen.elided(text, box.w, 0.9F, Face::bold),
           {pen.theme.text, 0.9F, Align::left, Face::bold});
  pen.accessible(box, -1, text);
}

void draw_row(Pen& pen, const Table& t, size_t line) {
  const OperationTimes::Row& row = *t.lines[line].row;
  draw_cells(pen, t, line);
  const Rect first = t.cell(line, 0);
  const bool selected = in_row(row, t.selection.selected.instruction);
  const Rect label{0, first.y, t.grid.label_w, first.h};
  const double share = share_of(t.times, row.sum(), t.times.range);
  const int32_t id = pen.id(cell_item(row, -1));
  if (selected) pen.rect(label, with_alpha(pen.theme.selection, 0.18), id);
  if (first.h >= pen.text_px(0.85F)) {
    const Face face = bold_if(selected);
    pen.text({label.right() - pen.px(8), first.y + first.h / 2},
             pen.elided(row.name, label.w - pen.px(16), 0.9F, face),
             {pen.theme.text, 0.9F, Align::right, face});
    pen.text({t.grid.plot.right() + t.grid.sum_w - pen.px(2), first.y + first.h / 2}, format_percent(share),
             {pen.theme.muted_text, 0.85F, Align::right});
  }
  pen.accessible(label, id, say("{}: {} of the devices' time", row.key, format_percent(share)));
}

void draw_head(Pen& pen, const Table& t) {
  const auto devices = chosen_devices(t.input, t.selection);
  const std::string title = say("part of the time of {} in each operation", devices_words(t.input, devices));
  pen.text({pen.px(12), pen.px(14)}, pen.elided(title, pen.canvas.width - pen.px(24), 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  const Rect& plot = t.grid.plot;
  const TimeAxis axis{plot.x, plot.w, t.times.range};
  for (const TimeTick& tick : time_ticks(t.times.range, std::max(1, static_cast<int>(plot.w / pen.px(90))))) {
    const float x = axis.x_of(tick.time);
    if (x + pen.width(tick.label, 0.85F) > plot.right()) continue;
    pen.line({x, plot.y - pen.px(5)}, {x, plot.y}, pen.theme.rule);
    pen.text({x + pen.px(2), plot.y - pen.px(11)}, tick.label, {pen.theme.muted_text, 0.85F, Align::left});
  }
  pen.text({plot.right() + t.grid.sum_w - pen.px(2), plot.y - pen.px(11)}, said("in all"),
           {pen.theme.muted_text, 0.85F, Align::right});
}

void draw_marks(Pen& pen, const Table& t) {
  const Rect& plot = t.grid.plot;
  const TimeAxis axis{plot.x, plot.w, t.times.range};
  const float bottom = plot.y + t.grid.cell_h * static_cast<float>(t.shown);
  if (t.selection.range && t.selection.range->length() > 0) {
    const float x0 = std::clamp(axis.x_of(t.selection.range->start), plot.x, plot.right());
    const float x1 = std::clamp(axis.x_of(t.selection.range->end), plot.x, plot.right());
    pen.outline({x0, plot.y - 2, std::max(2.0F, x1 - x0), bottom - plot.y + 3}, pen.theme.selection, 2);
  }
  const float now = axis.x_of(t.selection.time);
  if (now >= plot.x && now <= plot.right())
    pen.line({now, plot.y - pen.px(5)}, {now, bottom}, pen.theme.critical, 1.5F);
}

}  // namespace

Scene layout_operations(const ViewInput& input, const Selection& selection, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const Grid grid = grid_of(pen);
  const auto times = times_of(input, selection, bins_of(pen, grid));
  if (!times || times->rows.empty()) {
    pen.empty_state(said("Operations shows when each operation is under way, and on how many devices"),
                    times ? said("This run has no events.") : why_not_summed(input));
    return scene;
  }
  Table table{input, selection, *times, grid, lines_of(*times), 0};
  Grid& placed = table.grid;
  placed.cell_h = std::clamp(placed.plot.h / static_cast<float>(table.lines.size()), pen.px(16), pen.px(40));
  table.shown =
      std::min(table.lines.size(), static_cast<size_t>(std::max(1.0F, placed.plot.h / placed.cell_h)));
  draw_head(pen, table);
  for (size_t l = 0; l < table.shown; ++l)
    table.lines[l].row != nullptr ? draw_row(pen, table, l) : draw_heading(pen, table, l);
  draw_marks(pen, table);
  const auto hidden =
      std::count_if(table.lines.begin() + static_cast<std::ptrdiff_t>(table.shown), table.lines.end(),
                    [](const TableLine& line) { return line.row != nullptr; });
  const std::string foot =
      hidden > 0 ? say_count("{} more operation has no room", "{} more operations have no room", hidden)
                 : said("A click on a cell marks its time and selects its operation.");
  pen.text({pen.px(12), canvas.height - pen.px(14)}, pen.elided(foot, canvas.width - pen.px(24), 0.85F),
           {pen.theme.muted_text, 0.85F, Align::left});
  return scene;
}

std::optional<TimeRange> operation_cell(const ViewInput& input, const Selection& selection,
                                        const ItemId& item, const Canvas& canvas) {
  if (item.kind != ItemId::Kind::instruction || item.index < 0) return std::nullopt;
  Scene scene;
  const Pen pen(scene, canvas);
  const auto times = times_of(input, selection, bins_of(pen, grid_of(pen)));
  if (!times || static_cast<size_t>(item.index) >= times->bins.size()) return std::nullopt;
  return times->bins[static_cast<size_t>(item.index)];
}

std::vector<std::string> operation_cell_words(const ViewInput& input, const Selection& selection,
                                              const ItemId& item, const Canvas& canvas) {
  Scene scene;
  const Pen pen(scene, canvas);
  const auto times = times_of(input, selection, bins_of(pen, grid_of(pen)));
  if (!times) return {};
  for (const OperationTimes::Row& row : times->rows) {
    if (!in_row(row, item.instruction)) continue;
    if (item.index >= 0 && static_cast<size_t>(item.index) < times->bins.size())
      return {cell_words(*times, row, static_cast<size_t>(item.index))};
    return {say("{}: {} of the devices' time", row.key,
                format_percent(share_of(*times, row.sum(), times->range)))};
  }
  return {};
}

}  // namespace shardscope::inline views
