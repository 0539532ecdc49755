// SPDX-License-Identifier: Apache-2.0
#include "views/scene/chip/kernel_time_view.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "views/scene/chip/kernel_parts.h"

namespace shardscope::inline views {
namespace {

std::string describe_event(const KernelEvent& event) {
  std::string out = say("device {}, {}, line {}, {}", event.device, name(event.lane), event.line,
                        format_picoseconds(event.end - event.start));
  if (event.bytes > 0) out += ", " + format_bytes(static_cast<double>(event.bytes));
  if (event.peer >= 0) out += say(" to device {}", event.peer);
  return out;
}

class TimePainter {
 public:
  TimePainter(Pen& pen, const KernelLayout& layout, const KernelTime& time,
              const KernelTimeViewport& viewport)
      : pen_(pen),
        layout_(layout),
        time_(time),
        viewport_(viewport),
        axis_(kernel_time_axis(time, viewport, pen.canvas)) {
    left_ = axis_.left;
  }

  void paint() {
    const KernelRoofline& roof = time_.roofline;
    std::string title =
        say("{}: {}, bound by {}", layout_.kernel, format_picoseconds(time_.total), roof.bound);
    if (roof.flops_per_s > 0)
      title += say(", {} of a roof of {}", format_rate(roof.flops_per_s, "FLOP/s"),
                   format_rate(roof.roof_flops_per_s, "FLOP/s"));
    pen_.text({pen_.px(12), pen_.px(16)}, pen_.elided(title, pen_.scene.width - pen_.px(24), 1, Face::bold),
              {pen_.theme.text, 1, Align::left, Face::bold});
    pen_.text({pen_.px(12), pen_.px(34)}, pen_.elided(second_line(), pen_.scene.width - pen_.px(24), 0.9F),
              {pen_.theme.muted_text, 0.9F});
    y_ = pen_.px(48);
    const float curves = curve_height() * static_cast<float>(2 + busy_semaphores().size());
    const float rows = static_cast<float>(4 * time_.devices.size());
    const float space = pen_.scene.height - y_ - curves - pen_.px(24);
    row_ = std::clamp(space / std::max(1.0F, rows), pen_.px(3), pen_.px(20));
    lanes();
    curve(said("DMAs in flight"), time_.in_flight, [](int64_t v) { return fmt::format("{}", v); });
    if (viewport_.device >= 0 && static_cast<size_t>(viewport_.device) < time_.devices.size()) values();
    foot();
  }

 private:
  std::string second_line() const {
    const KernelRoofline& roof = time_.roofline;
    int64_t peak = 0;
    for (const KernelDeviceTime& device : time_.devices) {
      for (const KernelPoint& point : device.vmem) peak = std::max(peak, point.value);
    }
    std::string out = say("vmem up to {} of {}", format_bytes(static_cast<double>(peak)),
                          format_bytes(static_cast<double>(layout_.vmem_limit)));
    if (roof.flops_per_byte > 0)
      out += say(" · {:.3g} FLOP per byte of hbm · the matrix unit is {:.1f} % used while it is busy",
                 roof.flops_per_byte, 100 * roof.mxu_utilisation);
    for (const std::string& assumption : time_.assumptions) out += " · " + assumption;
    return out;
  }

  float curve_height() const { return pen_.px(30); }

  // As many as leave the lanes readable.
  size_t most_semaphores() const {
    const float lanes = pen_.px(9) * static_cast<float>(4 * time_.devices.size());
    const float room = pen_.scene.height - pen_.px(48 + 24) - lanes - 2 * curve_height();
    return static_cast<size_t>(std::clamp(room / curve_height(), 0.0F, 6.0F));
  }

  std::vector<size_t> busy_semaphores() const {
    std::vector<size_t> out;
    if (viewport_.device < 0 || static_cast<size_t>(viewport_.device) >= time_.devices.size()) return out;
    const auto& all = time_.devices[static_cast<size_t>(viewport_.device)].semaphores;
    for (size_t s = 0; s < all.size() && out.size() < most_semaphores(); ++s) {
      const bool held =
          std::any_of(all[s].begin(), all[s].end(), [](const KernelPoint& p) { return p.value > 0; });
      if (held) out.push_back(s);
    }
    return out;
  }

  Color lane_color(KernelLane lane) const {
    const Color colors[] = {pen_.theme.compute, identity_color(pen_.theme, 4, 8),
                            identity_color(pen_.theme, 6, 8), with_alpha(pen_.theme.warning, 0.5)};
    return colors[static_cast<size_t>(lane)];
  }

  void lanes() {
    const float top = y_;
    for (size_t d = 0; d < time_.devices.size(); ++d) {
      const float at = top + row_ * static_cast<float>(4 * d);
      pen_.text_in({pen_.px(12), at, left_ - pen_.px(60), row_ * 4}, say("device {}", d),
                   {pen_.theme.text, 0.9F});
      for (int lane = 0; lane < 4 && row_ >= pen_.px(10); ++lane) {
        pen_.text({left_ - pen_.px(6), at + row_ * (static_cast<float>(lane) + 0.5F)},
                  name(static_cast<KernelLane>(lane)), {pen_.theme.muted_text, 0.75F, Align::right});
      }
      pen_.line({pen_.px(12), at}, {axis_.left + axis_.width, at}, pen_.theme.rule);
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
      item.index = event.line;
      pen_.rect(at, lane_color(event.lane), pen_.id(item));
      if (at.w >= pen_.px(24)) pen_.accessible(at, pen_.id(item), describe_event(event));
    }
    pen_.scene.pop_clip();
    y_ = top + height + pen_.px(6);
  }

  template <class F>
  void curve(const std::string& label, const std::vector<KernelPoint>& points, F&& value_text) {
    int64_t most = 0;
    for (const KernelPoint& point : points) most = std::max(most, point.value);
    const Rect area{left_, y_ + pen_.px(4), axis_.width, curve_height() - pen_.px(8)};
    pen_.text({left_ - pen_.px(6), area.y + area.h / 2},
              pen_.elided(say("{}, to {}", label, value_text(most)), left_ - pen_.px(14), 0.8F),
              {pen_.theme.text, 0.8F, Align::right});
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
    pen_.accessible(area, -1, say("{}, at most {}", label, value_text(most)));
    y_ += curve_height();
  }

  void values() {
    const KernelDeviceTime& device = time_.devices[static_cast<size_t>(viewport_.device)];
    curve(say("vmem of device {}", viewport_.device), device.vmem,
          [](int64_t v) { return format_bytes(static_cast<double>(v)); });
    for (const size_t s : busy_semaphores()) {
      if (y_ + curve_height() > pen_.scene.height - pen_.px(20)) return;
      curve(layout_.semaphores[s].name, device.semaphores[s],
            [&](int64_t v) { return semaphore_value(layout_.semaphores[s], v); });
    }
  }

  void foot() {
    const float at = pen_.scene.height - pen_.px(12);
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      const auto length = static_cast<double>(axis_.range.end - axis_.range.start);
      const Picoseconds t = axis_.range.start + static_cast<Picoseconds>(part * length);
      const Align align = part == 0 ? Align::left : part == 1 ? Align::right : Align::center;
      pen_.text({axis_.x_of(t), at}, format_picoseconds(t), {pen_.theme.muted_text, 0.8F, align});
    }
  }

  Pen& pen_;
  const KernelLayout& layout_;
  const KernelTime& time_;
  const KernelTimeViewport& viewport_;
  TimeAxis axis_;
  float left_ = 0, row_ = 0, y_ = 0;
};

}  // namespace

TimeAxis kernel_time_axis(const KernelTime& time, const KernelTimeViewport& viewport, const Canvas& canvas) {
  const float unit = canvas.theme.scale;
  TimeAxis axis;
  axis.left = std::min(186 * unit, canvas.width * 0.3F);
  axis.width = std::max(1.0F, canvas.width - axis.left - 14 * unit);
  axis.range =
      viewport.range.length() <= 0 ? TimeRange{0, std::max<Picoseconds>(1, time.total)} : viewport.range;
  return axis;
}

std::vector<std::string> describe_kernel_time(const KernelLayout& layout, const KernelTime& time,
                                              const ItemId& item) {
  if (item.kind != ItemId::Kind::event || item.event < 0 ||
      static_cast<size_t>(item.event) >= time.events.size())
    return {};
  const KernelEvent& event = time.events[static_cast<size_t>(item.event)];
  std::vector<std::string> out = {describe_event(event)};
  const auto& lines = layout.listing.lines;
  if (event.line >= 1 && static_cast<size_t>(event.line) <= lines.size())
    out.emplace_back(trim(lines[static_cast<size_t>(event.line) - 1]));
  if (event.semaphore >= 0)
    out.push_back(said("waits for ") + layout.semaphores[static_cast<size_t>(event.semaphore)].name);
  out.push_back(say("from {} to {}", format_picoseconds(event.start), format_picoseconds(event.end)));
  return out;
}

Scene layout_kernel_time(const KernelLayout& layout, const KernelTime& time,
                         const KernelTimeViewport& viewport, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  if (time.devices.empty()) {
    pen.empty_state(said("no times"), said("the kernel hangs, or the chip's numbers are not published"));
    return scene;
  }
  TimePainter(pen, layout, time, viewport).paint();
  return scene;
}

}  // namespace shardscope::inline views
