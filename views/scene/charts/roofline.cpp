// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "engine/base/say.h"
#include "engine/hardware/cost.h"
#include "views/scene/core/log_axis.h"
#include "views/scene/core/pen.h"
#include "views/scene/story/event_text.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kMostEvents = 20'000;

struct DotPoint {
  double intensity = 0;  // flop per byte
  double rate = 0;       // flop/s
  int32_t instruction = -1;
  int32_t device = 0;
  int64_t count = 0;
};

// Equal dots (same work in the same time) are one point.
std::vector<DotPoint> dot_points(const ViewInput& input, int32_t device) {
  std::map<std::tuple<double, int64_t, Picoseconds>, DotPoint> found;
  const std::vector<Lane>& lanes = input.trace.lanes();
  for (size_t l = 0; l < lanes.size(); ++l) {
    if (lanes[l].kind != LaneKind::compute) continue;
    const auto numbers =
        input.trace.events(DeviceId(device), static_cast<int>(l), {0, input.trace.total() + 1});
    if (!numbers.ok()) continue;
    for (size_t i = 0; i < numbers->size() && i < kMostEvents; ++i) {
      const auto e = find_event(input, (*numbers)[i]);
      if (!e || e->flops <= 0 || e->bytes <= 0 || e->end <= e->start) continue;
      DotPoint& p = found[{e->flops, e->bytes, e->end - e->start}];
      if (p.count++ == 0)
        p = {e->flops / static_cast<double>(e->bytes), e->flops / to_seconds(e->end - e->start),
             e->instruction, device, 1};
    }
  }
  std::vector<DotPoint> out;
  for (const auto& [key, point] : found) out.push_back(point);
  return out;
}

// Where the dots and the roof stand.
struct RoofPlot {
  double roof, bandwidth, ridge;  // FLOP/s, bytes/s, FLOP per byte
  Rect area;
  LogAxis x, y;
};

RoofPlot plot_of(const Pen& pen, const std::vector<DotPoint>& points, double roof, double bandwidth) {
  const double ridge = roof / bandwidth;
  double low = ridge / 10, high = ridge * 10, slowest = roof / 100;
  for (const DotPoint& p : points) {
    low = std::min(low, p.intensity / 1.5);
    high = std::max(high, p.intensity * 1.5);
    slowest = std::min(slowest, p.rate / 1.5);
  }
  const float left = std::max(pen.px(100), pen.width("100.0 TFLOP/s", 0.85F) + pen.px(12));
  const Rect area{left, pen.px(40), std::max(1.0F, pen.canvas.width - left - pen.px(16)),
                  std::max(1.0F, pen.canvas.height - pen.px(40) - pen.px(52))};
  return {roof,
          bandwidth,
          ridge,
          area,
          decades(low, high, area.x, area.w),
          decades(slowest, roof * 1.2, area.bottom(), -area.h)};
}

void draw_axes(Pen& pen, const RoofPlot& plot) {
  for (int e = static_cast<int>(plot.x.from); e <= static_cast<int>(plot.x.to); ++e) {
    const float at = plot.x.at(std::pow(10.0, e));
    pen.line({at, plot.area.y}, {at, plot.area.bottom()}, pen.theme.rule);
    const std::string label = decade_label(e);
    const float half = pen.width(label, 0.85F) / 2;
    pen.text({std::min(at, pen.canvas.width - half - 2), plot.area.bottom() + pen.px(12)}, label,
             {pen.theme.muted_text, 0.85F, Align::center});
  }
  for (int e = static_cast<int>(plot.y.from); e <= static_cast<int>(plot.y.to); ++e) {
    const float at = plot.y.at(std::pow(10.0, e));
    pen.line({plot.area.x, at}, {plot.area.right(), at}, pen.theme.rule);
    pen.text({plot.area.x - pen.px(6), at}, format_rate(std::pow(10.0, e), "FLOP/s"),
             {pen.theme.muted_text, 0.85F, Align::right});
  }
  pen.text({plot.area.x + plot.area.w / 2, plot.area.bottom() + pen.px(32)},
           pen.elided(said("arithmetic intensity, FLOP per byte of HBM traffic"), plot.area.w),
           {pen.theme.text, 1, Align::center});
}

// Where the name of the slope stands.
Rect draw_roof(Pen& pen, const RoofPlot& plot, const std::string& roof_text, const std::string& hbm) {
  const auto& [roof, bandwidth, ridge, area, x, y] = plot;
  pen.scene.push_clip(area);
  const double first = std::pow(10.0, x.from);
  const double last = std::pow(10.0, x.to);
  pen.scene.add(
      LineItem{{{x.at(first), y.at(first * bandwidth)}, {x.at(ridge), y.at(roof)}, {x.at(last), y.at(roof)}},
               pen.theme.critical,
               2,
               false,
               false,
               -1});
  pen.scene.pop_clip();
  const float roof_y = y.at(roof) - pen.px(10);
  if (roof_y > area.y && pen.width(roof_text, 0.85F) < area.right() - x.at(ridge)) {
    pen.text({area.right() - pen.px(4), roof_y}, roof_text, {pen.theme.text, 0.85F, Align::right});
  }
  // Below the slope, right of it: where a horizontal label of its width clears the line.
  const float clear = pen.px(12), hbm_width = pen.width(hbm, 0.85F);
  const double low_at = std::pow(10.0, x.from + 0.12 * (std::log10(ridge) - x.from));
  const Point foot{x.at(low_at) + clear, y.at(low_at * bandwidth) + clear};
  const Point hbm_at{
      std::clamp(foot.x, area.x + pen.px(8), std::max(area.x + pen.px(8), area.right() - hbm_width)),
      std::clamp(foot.y, area.y + pen.px(10), area.bottom() - pen.px(10))};
  pen.text(hbm_at, hbm, {pen.theme.text, 0.85F, Align::left});
  const float high = pen.text_px(0.85F);
  return {hbm_at.x, hbm_at.y - high / 2, hbm_width, high};
}

void draw_dot(Pen& pen, const RoofPlot& plot, const DotPoint& p, const std::string& label, bool chosen) {
  ItemId item;
  item.kind = ItemId::Kind::instruction;
  item.device = p.device;
  item.instruction = p.instruction;
  const int32_t id = pen.id(item);
  const Point at{plot.x.at(p.intensity), plot.y.at(p.rate)};
  pen.scene.add(CircleItem{at, pen.px(5), axis_color(pen.theme, 1, 1),
                           chosen ? pen.theme.selection : pen.theme.text, chosen ? 3.0F : 1.0F, id});
  pen.accessible({at.x - 5, at.y - 5, 10, 10}, id,
                 say("{}, {:.1f} FLOP per byte, {}", label, p.intensity, format_rate(p.rate, "FLOP/s")));
}

// Where a name beside a point stands: below or above, right or left of it, in the plot and on no other name.
std::optional<Rect> free_place(const Pen& pen, const RoofPlot& plot, Point at, float width,
                               const std::vector<Rect>& taken) {
  const float high = pen.text_px(0.85F), aside = pen.px(9);
  for (const Point corner :
       {Point{at.x + aside, at.y + aside - high / 2}, Point{at.x + aside, at.y - aside - high / 2},
        Point{at.x - aside - width, at.y - aside - high / 2},
        Point{at.x - aside - width, at.y + aside - high / 2}}) {
    const Rect room{corner.x, corner.y, width, high};
    const bool inside = room.x >= plot.area.x && room.right() < plot.area.right() - 1;
    const bool free = std::none_of(taken.begin(), taken.end(), [&](const Rect& r) {
      return r.x < room.right() && room.x < r.right() && r.y < room.bottom() && room.y < r.bottom();
    });
    if (inside && free) return room;
  }
  return {};
}

void draw_dots(Pen& pen, const ViewInput& input, const RoofPlot& plot, const std::vector<DotPoint>& points,
               const Selection& selection, const Rect& slope) {
  std::vector<Rect> taken = {slope};
  for (const DotPoint& p : points) {
    const std::string label =
        instruction_name(input, p.instruction) + (p.count > 1 ? fmt::format(" ×{}", p.count) : "");
    draw_dot(pen, plot, p, label, selection.selected.instruction == p.instruction && p.instruction >= 0);
    if (points.size() > 6) continue;
    const Point at{plot.x.at(p.intensity), plot.y.at(p.rate)};
    const auto room = free_place(pen, plot, at, pen.width(label, 0.85F), taken);
    if (!room) continue;
    pen.text({room->x, room->y + room->h / 2}, label, {pen.theme.text, 0.85F, Align::left});
    taken.push_back(*room);
  }
}

}  // namespace

Scene layout_roofline(const ViewInput& input, const Selection& selection, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const int32_t device = focus_device(input, selection);
  // A record would be asked for each of them.
  const std::vector<DotPoint> points = is_unread(input) ? std::vector<DotPoint>{} : dot_points(input, device);
  const Hardware& hw = input.run.hardware;
  const auto peak = peak_of(input.run);
  const auto traffic = memory_rate(hw);
  if (points.empty() || !peak.ok() || !traffic.ok()) {
    pen.empty_state(said("The roofline shows each dot against the chip's compute and bandwidth limits"),
                    is_unread(input) ? why_unread(input)
                    : points.empty() ? said("This run has no dots.")
                                     : said("The chip's peak or its HBM bandwidth is not published."));
    return scene;
  }
  const RoofPlot plot = plot_of(pen, points, compute_rate(hw, *peak) / peak->passes, *traffic);
  const std::string title = say("dots of device {} on {}", device_name(input.run.mesh, device),
                                hw.title.empty() ? hw.name : hw.title);
  pen.text({pen.px(12), pen.px(14)}, pen.elided(title, canvas.width - pen.px(24), 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  draw_axes(pen, plot);
  const Rect slope = draw_roof(pen, plot,
                               fmt::format("{}{} {} × {}", peak->assumption.empty() ? "" : "≈ ",
                                           format_rate(peak->flops_per_s / peak->passes, "FLOP/s"),
                                           name(peak->passes > 1 ? input.run.problem.dtype : peak->type),
                                           format_percent(compute_rate(hw, *peak) / peak->flops_per_s)),
                               say("HBM {} × {}", format_rate(*hw.memory.hbm_bytes_per_s, "B/s"),
                                   format_percent(hw.memory.hbm_efficiency)));
  draw_dots(pen, input, plot, points, selection, slope);
  return scene;
}

}  // namespace shardscope::inline views
