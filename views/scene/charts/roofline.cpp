// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "engine/hardware/cost.h"
#include "views/scene/core/log_axis.h"
#include "views/scene/core/pen.h"
#include "views/scene/story/event_text.h"

namespace shardscope {
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

}  // namespace

Scene layout_roofline(const ViewInput& input, const Selection& selection, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const int32_t device = focus_device(input, selection);
  const std::vector<DotPoint> points = dot_points(input, device);
  const Hardware& hw = input.run.hardware;
  const auto peak = peak_for(hw, input.run.problem.dtype);
  const auto traffic = memory_rate(hw);
  if (points.empty() || !peak.ok() || !traffic.ok()) {
    pen.empty_state(
        "The roofline shows each dot against the chip's compute and bandwidth limits",
        points.empty() ? "This run has no dots." : "The chip's peak or its HBM bandwidth is not published.");
    return scene;
  }
  const double roof = compute_rate(hw, *peak);
  const double bandwidth = *traffic;
  const double ridge = roof / bandwidth;
  double low = ridge / 10;
  double high = ridge * 10;
  double slowest = roof / 100;
  for (const DotPoint& p : points) {
    low = std::min(low, p.intensity / 1.5);
    high = std::max(high, p.intensity * 1.5);
    slowest = std::min(slowest, p.rate / 1.5);
  }
  const float left = pen.px(100);
  const Rect plot{left, pen.px(40), std::max(1.0F, canvas.width - left - pen.px(16)),
                  std::max(1.0F, canvas.height - pen.px(40) - pen.px(52))};
  const LogAxis x = decades(low, high, plot.x, plot.w);
  const LogAxis y = decades(slowest, roof * 1.2, plot.bottom(), -plot.h);
  const std::string title = fmt::format("dots of device {} on {}", device_name(input.run.mesh, device),
                                        hw.title.empty() ? hw.name : hw.title);
  pen.text({pen.px(12), pen.px(14)}, pen.elided(title, canvas.width - pen.px(24), 1, true),
           {pen.theme.text, 1, Align::left, true, false});
  for (int e = static_cast<int>(x.from); e <= static_cast<int>(x.to); ++e) {
    const float at = x.at(std::pow(10.0, e));
    pen.line({at, plot.y}, {at, plot.bottom()}, pen.theme.rule);
    const std::string label = decade_label(e);
    const float half = pen.width(label, 0.85F) / 2;
    pen.text({std::min(at, canvas.width - half - 2), plot.bottom() + pen.px(12)}, label,
             {pen.theme.muted_text, 0.85F, Align::center, false, false});
  }
  for (int e = static_cast<int>(y.from); e <= static_cast<int>(y.to); ++e) {
    const float at = y.at(std::pow(10.0, e));
    pen.line({plot.x, at}, {plot.right(), at}, pen.theme.rule);
    pen.text({plot.x - pen.px(6), at}, format_rate(std::pow(10.0, e), "FLOP/s"),
             {pen.theme.muted_text, 0.85F, Align::right, false, false});
  }
  pen.text({plot.x + plot.w / 2, plot.bottom() + pen.px(32)},
           pen.elided("arithmetic intensity, FLOP per byte of HBM traffic", plot.w),
           {pen.theme.text, 1, Align::center, false, false});
  pen.scene.push_clip(plot);
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
  const std::string approx = peak->assumption.empty() ? "" : "≈ ";
  const std::string roof_text = fmt::format("{}{} {} × {}", approx, format_rate(peak->flops_per_s, "FLOP/s"),
                                            name(peak->type), format_percent(hw.compute.efficiency));
  const float roof_y = y.at(roof) - pen.px(10);
  if (roof_y > plot.y && pen.width(roof_text, 0.85F) < plot.right() - x.at(ridge)) {
    pen.text({plot.right() - pen.px(4), roof_y}, roof_text,
             {pen.theme.text, 0.85F, Align::right, false, false});
  }
  const std::string hbm = fmt::format("HBM {} × {}", format_rate(*hw.memory.hbm_bytes_per_s, "B/s"),
                                      format_percent(hw.memory.hbm_efficiency));
  // Below the slope, right of it: where a horizontal label of its width clears the line.
  const float clear = pen.px(12), hbm_width = pen.width(hbm, 0.85F);
  const double low_at = std::pow(10.0, x.from + 0.12 * (std::log10(ridge) - x.from));
  const Point foot{x.at(low_at) + clear, y.at(low_at * bandwidth) + clear};
  const Point hbm_at{
      std::clamp(foot.x, plot.x + pen.px(8), std::max(plot.x + pen.px(8), plot.right() - hbm_width)),
      std::clamp(foot.y, plot.y + pen.px(10), plot.bottom() - pen.px(10))};
  pen.text(hbm_at, hbm, {pen.theme.text, 0.85F, Align::left, false, false});
  for (const DotPoint& p : points) {
    ItemId item;
    item.kind = ItemId::Kind::instruction;
    item.device = p.device;
    item.instruction = p.instruction;
    const int32_t id = pen.id(item);
    const Point at{x.at(p.intensity), y.at(p.rate)};
    const bool chosen = selection.selected.instruction == p.instruction && p.instruction >= 0;
    pen.scene.add(CircleItem{at, pen.px(5), axis_color(pen.theme, 1, 1),
                             chosen ? pen.theme.selection : pen.theme.text, chosen ? 3.0F : 1.0F, id});
    const std::string label =
        instruction_name(input, p.instruction) + (p.count > 1 ? fmt::format(" ×{}", p.count) : "");
    pen.accessible(
        {at.x - 5, at.y - 5, 10, 10}, id,
        fmt::format("{}, {:.1f} FLOP per byte, {}", label, p.intensity, format_rate(p.rate, "FLOP/s")));
    if (points.size() <= 6 && at.x + pen.px(10) + pen.width(label, 0.85F) < plot.right()) {
      pen.text({at.x + pen.px(9), at.y + pen.px(9)}, label,
               {pen.theme.text, 0.85F, Align::left, false, false});
    }
  }
  return scene;
}

}  // namespace shardscope
