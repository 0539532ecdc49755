// SPDX-License-Identifier: Apache-2.0
#include "views/scene/kernel_time_view.h"

#include <algorithm>
#include <fmt/format.h>

#include "views/scene/pen.h"

namespace shardscope {
namespace {

class TimePainter {
 public:
  TimePainter(Pen& pen, const KernelLayout& layout, const KernelTime& time,
              const KernelTimeViewport& viewport)
      : pen_(pen), layout_(layout), time_(time), viewport_(viewport), left_(pen.px(150)), right_(pen.px(14)) {
    axis_.left = left_;
    axis_.width = std::max(1.0F, pen.scene.width - left_ - right_);
    axis_.range =
        viewport.range.length() <= 0 ? TimeRange{0, std::max<Picoseconds>(1, time.total)} : viewport.range;
  }

  void paint() {
    const KernelRoofline& roof = time_.roofline;
    std::string title =
        fmt::format("{}: {}, bound by {}", layout_.kernel, format_picoseconds(time_.total), roof.bound);
    if (roof.flops_per_s > 0)
      title += fmt::format(", {} of a roof of {}", format_rate(roof.flops_per_s, "FLOP/s"),
                           format_rate(roof.roof_flops_per_s, "FLOP/s"));
    pen_.text({pen_.px(12), pen_.px(16)}, pen_.elided(title, pen_.scene.width - pen_.px(24), 1, true),
              {pen_.theme.text, 1, Align::left, true, false});
    y_ = pen_.px(32);
    const float curves = curve_height() * static_cast<float>(2 + busy_semaphores().size());
    const float rows = static_cast<float>(4 * time_.devices.size());
    const float space = pen_.scene.height - y_ - curves - pen_.px(24);
    row_ = std::clamp(space / std::max(1.0F, rows), pen_.px(3), pen_.px(15));
    lanes();
    curve("DMAs in flight", time_.in_flight, [](int64_t v) { return fmt::format("{}", v); });
    if (viewport_.device >= 0 && static_cast<size_t>(viewport_.device) < time_.devices.size()) values();
    foot();
  }

 private:
  float curve_height() const { return pen_.px(30); }

  std::vector<size_t> busy_semaphores() const {
    std::vector<size_t> out;
    if (viewport_.device < 0 || static_cast<size_t>(viewport_.device) >= time_.devices.size()) return out;
    const auto& all = time_.devices[static_cast<size_t>(viewport_.device)].semaphores;
    for (size_t s = 0; s < all.size() && out.size() < 6; ++s) {
      if (!all[s].empty()) out.push_back(s);
    }
    return out;
  }

  Color lane_color(KernelLane lane) const {
    const Color colors[] = {pen_.theme.compute, identity_color(pen_.theme, 4, 8),
                            axis_color(pen_.theme, 0, 1), with_alpha(pen_.theme.warning, 0.5)};
    return colors[static_cast<size_t>(lane)];
  }

  void lanes() {
    const float top = y_;
    for (size_t d = 0; d < time_.devices.size(); ++d) {
      const float at = top + row_ * static_cast<float>(4 * d);
      pen_.text_in({pen_.px(12), at, left_ - pen_.px(60), row_ * 4}, fmt::format("device {}", d),
                   {pen_.theme.text, 0.9F});
      for (int lane = 0; lane < 4 && row_ >= pen_.px(10); ++lane) {
        pen_.text({left_ - pen_.px(6), at + row_ * (static_cast<float>(lane) + 0.5F)},
                  name(static_cast<KernelLane>(lane)),
                  {pen_.theme.muted_text, 0.75F, Align::right, false, false});
      }
      pen_.line({pen_.px(12), at}, {pen_.scene.width - right_, at}, pen_.theme.rule);
    }
    const float height = row_ * static_cast<float>(4 * time_.devices.size());
    pen_.scene.push_clip({left_, top, axis_.width, height});
    for (size_t i = 0; i < time_.events.size(); ++i) {
      const KernelEvent& event = time_.events[i];
      if (event.end < axis_.range.start || event.start > axis_.range.end) continue;
      const float from = axis_.x_of(event.start), to = axis_.x_of(event.end);
      const float lane = static_cast<float>(4 * event.device) + static_cast<float>(event.lane);
      const Rect at{from, top + row_ * lane + 1, std::max(1.0F, to - from), row_ - 2};
      ItemId item;
      item.kind = ItemId::Kind::event;
      item.device = event.device;
      item.event = static_cast<int32_t>(i);
      pen_.rect(at, lane_color(event.lane), pen_.id(item));
      if (at.w >= pen_.px(24)) pen_.accessible(at, pen_.id(item), describe_event(event));
    }
    pen_.scene.pop_clip();
    y_ = top + height + pen_.px(6);
  }

  static std::string describe_event(const KernelEvent& event) {
    std::string out = fmt::format("device {}, {}, line {}, {}", event.device, name(event.lane), event.line,
                                  format_picoseconds(event.end - event.start));
    if (event.bytes > 0) out += ", " + format_bytes(static_cast<double>(event.bytes));
    if (event.peer >= 0) out += fmt::format(" to device {}", event.peer);
    return out;
  }

  template <class F>
  void curve(const std::string& label, const std::vector<KernelPoint>& points, F&& value_text) {
    int64_t most = 0;
    for (const KernelPoint& point : points) most = std::max(most, point.value);
    const Rect area{left_, y_ + pen_.px(4), axis_.width, curve_height() - pen_.px(8)};
    pen_.text({left_ - pen_.px(6), area.y + area.h / 2},
              pen_.elided(fmt::format("{}, to {}", label, value_text(most)), left_ - pen_.px(14), 0.8F),
              {pen_.theme.text, 0.8F, Align::right, false, false});
    pen_.line({area.x, area.bottom()}, {area.right(), area.bottom()}, pen_.theme.rule);
    LineItem line;
    line.color = pen_.theme.compute;
    line.width = pen_.px(1.2F);
    const auto height = [&](int64_t v) {
      return area.bottom() - area.h * static_cast<float>(v) / static_cast<float>(std::max<int64_t>(1, most));
    };
    int64_t before = 0;
    for (const KernelPoint& point : points) {
      const float x = std::clamp(axis_.x_of(point.time), area.x, area.right());
      line.points.push_back({x, height(before)});
      line.points.push_back({x, height(point.value)});
      before = point.value;
    }
    line.points.push_back({std::clamp(axis_.x_of(time_.total), area.x, area.right()), height(before)});
    pen_.scene.add(line);
    pen_.accessible(area, -1, fmt::format("{}, at most {}", label, value_text(most)));
    y_ += curve_height();
  }

  void values() {
    const KernelDeviceTime& device = time_.devices[static_cast<size_t>(viewport_.device)];
    curve(fmt::format("vmem of device {}", viewport_.device), device.vmem,
          [](int64_t v) { return format_bytes(static_cast<double>(v)); });
    for (const size_t s : busy_semaphores()) {
      if (y_ + curve_height() > pen_.scene.height - pen_.px(20)) return;
      curve(layout_.semaphores[s].name, device.semaphores[s], [](int64_t v) { return fmt::format("{}", v); });
    }
  }

  void foot() {
    const float at = pen_.scene.height - pen_.px(12);
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      const auto length = static_cast<double>(axis_.range.end - axis_.range.start);
      const Picoseconds t = axis_.range.start + static_cast<Picoseconds>(part * length);
      const Align align = part == 0 ? Align::left : part == 1 ? Align::right : Align::center;
      pen_.text({axis_.x_of(t), at}, format_picoseconds(t),
                {pen_.theme.muted_text, 0.8F, align, false, false});
    }
  }

  Pen& pen_;
  const KernelLayout& layout_;
  const KernelTime& time_;
  const KernelTimeViewport& viewport_;
  float left_, right_, row_ = 0, y_ = 0;
  TimeAxis axis_;
};

}  // namespace

Scene layout_kernel_time(const KernelLayout& layout, const KernelTime& time,
                         const KernelTimeViewport& viewport, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  if (time.devices.empty()) {
    pen.empty_state("no times", "the kernel hangs, or the chip's numbers are not published");
    return scene;
  }
  TimePainter(pen, layout, time, viewport).paint();
  return scene;
}

}  // namespace shardscope
