// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "views/scene/event_text.h"
#include "views/scene/pen.h"
#include "views/scene/ticks.h"

namespace shardscope {
namespace {

constexpr double kKiB = 1024;

// A round number of a binary unit.
double byte_step(double span, int most) {
  double unit = 1;
  while (span / most > unit * kKiB) unit *= kKiB;
  double step = unit;
  while (span / step > most) step *= 2;
  return step;
}

int32_t memory_device(const ViewInput& input, const Selection& selection) {
  for (const ItemId* item : {&selection.selected, &selection.hovered}) {
    if (item->device >= 0 && static_cast<size_t>(item->device) < input.run.timeline.memory.size())
      return item->device;
  }
  int32_t fullest = 0;
  const auto& totals = input.run.timeline.totals;
  for (size_t d = 1; d < totals.size(); ++d) {
    if (totals[d].peak_bytes > totals[static_cast<size_t>(fullest)].peak_bytes)
      fullest = static_cast<int32_t>(d);
  }
  return fullest;
}

// The largest buffers alive at `time`: "dot.3 2.0 MiB, all-gather.1 1.0 MiB and 4 more".
std::string holders_text(const ViewInput& input, int32_t device, Picoseconds time) {
  std::vector<const BufferLife*> alive;
  for (const BufferLife& b : input.run.timeline.buffers) {
    if (b.device == device && b.start <= time && time <= b.end && b.bytes > 0) alive.push_back(&b);
  }
  std::stable_sort(alive.begin(), alive.end(),
                   [](const BufferLife* a, const BufferLife* b) { return a->bytes > b->bytes; });
  std::string out;
  for (size_t i = 0; i < alive.size() && i < 3; ++i) {
    out += (i ? ", " : "") + instruction_name(input, alive[i]->instruction) + " " +
           format_bytes(static_cast<double>(alive[i]->bytes));
  }
  if (alive.size() > 3) out += fmt::format(" and {} more", alive.size() - 3);
  return out;
}

}  // namespace

Scene layout_memory(const ViewInput& input, const TimelineViewport& viewport, const Selection& selection,
                    const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const int32_t device = memory_device(input, selection);
  const auto& memory = input.run.timeline.memory;
  if (static_cast<size_t>(device) >= memory.size() || memory[static_cast<size_t>(device)].empty()) {
    pen.empty_state("Memory over time shows what each device holds, and its peak",
                    "This run kept no memory record.");
    return scene;
  }
  const std::vector<MemoryPoint>& points = memory[static_cast<size_t>(device)];
  MemoryPoint peak = points.front();
  for (const MemoryPoint& p : points) {
    if (p.bytes > peak.bytes) peak = p;
  }
  // The capacity is drawn when it is near; far above, it would flatten the curve and is named instead.
  const std::optional<double> capacity = input.run.hardware.memory.hbm_bytes;
  const auto peak_bytes = static_cast<double>(std::max<int64_t>(1, peak.bytes));
  const bool near = capacity && *capacity < 4 * peak_bytes;
  const double top = (near ? std::max(*capacity, peak_bytes) : peak_bytes) * 1.12;
  const float left = pen.px(78);
  const Rect plot{left, pen.px(52), std::max(1.0F, canvas.width - left - pen.px(12)),
                  std::max(1.0F, canvas.height - pen.px(52) - pen.px(30))};
  TimeRange range = viewport.range.length() > 0 ? viewport.range
                                                : TimeRange{0, std::max<Picoseconds>(1, input.trace.total())};
  const TimeAxis axis{plot.x, plot.w, range};
  const auto y_of = [&](double bytes) { return plot.bottom() - static_cast<float>(bytes / top) * plot.h; };

  const std::string limit = capacity ? fmt::format(", {} of {} HBM", format_percent(peak_bytes / *capacity),
                                                   format_bytes(*capacity))
                                     : "";
  const std::string title = fmt::format("device {}: peak {} at {}{}", device_name(input.run.mesh, device),
                                        format_bytes(peak_bytes), format_picoseconds(peak.time), limit);
  const std::string holders = holders_text(input, device, peak.time);
  pen.text({pen.px(12), pen.px(14)}, pen.elided(title, canvas.width - pen.px(24), 1, true),
           {pen.theme.text, 1, Align::left, true, false});
  pen.text({pen.px(12), pen.px(32)},
           pen.elided(holders.empty() ? "" : "held at the peak: " + holders, canvas.width - pen.px(24)),
           {pen.theme.muted_text, 1, Align::left, false, false});
  pen.accessible({0, 0, canvas.width, pen.px(44)}, -1,
                 title + (holders.empty() ? "" : "; held by " + holders));

  const double step = byte_step(top, std::max(1, static_cast<int>(plot.h / pen.px(40))));
  for (double b = 0; b <= top; b += step) {
    pen.line({plot.x, y_of(b)}, {plot.right(), y_of(b)}, pen.theme.rule);
    pen.text({plot.x - pen.px(6), y_of(b)}, format_bytes(b),
             {pen.theme.muted_text, 0.85F, Align::right, false, false});
  }
  for (const TimeTick& tick : time_ticks(range, std::max(1, static_cast<int>(plot.w / pen.px(90))))) {
    const float half = pen.width(tick.label, 0.85F) / 2;
    pen.text(
        {std::clamp(axis.x_of(tick.time), plot.x + half, std::max(plot.x + half, canvas.width - half - 2)),
         plot.bottom() + pen.px(12)},
        tick.label, {pen.theme.muted_text, 0.85F, Align::center, false, false});
  }
  pen.scene.push_clip(plot);
  LineItem curve;
  curve.color = axis_color(pen.theme, 0, 1);
  curve.width = 2;
  const Color area_fill = with_alpha(curve.color, 0.22);
  // One step per pixel column: the highest of the points that fall into it.
  float last_x = plot.x;
  int64_t level = 0;
  int64_t column = 0;
  const auto flush = [&](float x) {
    const float y = y_of(static_cast<double>(column));
    if (x > last_x) pen.rect({last_x, y, x - last_x, plot.bottom() - y}, area_fill);
    curve.points.push_back({last_x, y});
    curve.points.push_back({x, y});
    last_x = x;
    column = level;
  };
  for (const MemoryPoint& p : points) {
    if (p.time > range.end) break;
    const float x = std::max(plot.x, axis.x_of(p.time));
    if (x - last_x >= 1) flush(x);
    level = p.bytes;
    column = std::max(column, level);
    if (x <= plot.x) column = level;
  }
  flush(plot.right());
  pen.scene.add(curve);
  if (near) {
    pen.scene.add(LineItem{
        {{plot.x, y_of(*capacity)}, {plot.right(), y_of(*capacity)}}, pen.theme.warning, 2, true, false, -1});
    pen.text({plot.right() - pen.px(4), y_of(*capacity) + pen.px(10)}, "HBM " + format_bytes(*capacity),
             {pen.theme.warning, 0.85F, Align::right, true, false});
  }
  ItemId item;
  item.kind = ItemId::Kind::buffer;
  item.device = device;
  const Point at{axis.x_of(peak.time), y_of(peak_bytes)};
  const int32_t id = pen.id(item);
  pen.scene.add(CircleItem{at, pen.px(4), pen.theme.critical, pen.theme.background, 1.5F, id});
  pen.accessible({at.x - 4, at.y - 4, 8, 8}, id, "peak " + format_bytes(peak_bytes));
  const float now = axis.x_of(moment(input, selection));
  pen.line({now, plot.y}, {now, plot.bottom()}, pen.theme.focus, 2);
  pen.scene.pop_clip();
  return scene;
}

}  // namespace shardscope
