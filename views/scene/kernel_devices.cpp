// SPDX-License-Identifier: Apache-2.0
// Cards of devices: buffers with their initialised rows, semaphores with their values.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/units.h"
#include "views/scene/kernel_parts.h"

namespace shardscope {
namespace {

// Share of initialised elements in `parts` equal bands of rows.
std::vector<double> initialised_bands(const KernelBuffer& buffer, const KernelBufferState& state,
                                      int64_t parts) {
  std::vector<double> out;
  const int64_t all = buffer.rows * buffer.cols;
  for (int64_t p = 0; p < parts; ++p) {
    const int64_t first = p * buffer.rows / parts, last = std::max(first + 1, (p + 1) * buffer.rows / parts);
    if (state.initialised.empty()) {
      out.push_back(state.initialised_count == all ? 1 : 0);
      continue;
    }
    const auto from = state.initialised.begin() + static_cast<ptrdiff_t>(first * buffer.cols);
    const auto to = state.initialised.begin() + static_cast<ptrdiff_t>(last * buffer.cols);
    out.push_back(static_cast<double>(std::count(from, to, uint8_t{1})) / static_cast<double>(to - from));
  }
  return out;
}

Color space_color(const Theme& theme, MemorySpace space) {
  return identity_color(theme, space == MemorySpace::hbm ? 4 : 2, 8);
}

std::string state_text(const KernelViewInput& input, const KernelDeviceState& device) {
  if (!device.entered) return "not yet inside";
  if (device.exited) return "has left";
  if (device.waits_for >= 0)
    return "waits for " + input.layout.semaphores[static_cast<size_t>(device.waits_for)].name;
  return fmt::format("line {}", device.line);
}

class CardPainter {
 public:
  CardPainter(Pen& pen, const KernelViewInput& input, int32_t device, const Rect& rect, bool lifted)
      : pen_(pen),
        input_(input),
        device_(device),
        state_(input.frame.devices[static_cast<size_t>(device)]),
        lifted_(lifted),
        row_(pen.px(16)) {
    card_.rect = rect;
    card_.buffers.resize(input.layout.buffers.size());
  }

  KernelCard paint() {
    const int32_t devices = static_cast<int32_t>(input_.frame.devices.size());
    const Color color = identity_color(pen_.theme, device_, devices);
    const Rect& rect = card_.rect;
    ItemId item;
    item.kind = ItemId::Kind::device;
    item.device = device_;
    const int32_t id = pen_.id(item);
    pen_.rect(rect, pen_.theme.panel, id);
    const bool waits = state_.waits_for >= 0;
    pen_.outline(rect, waits ? pen_.theme.warning : color, pen_.px(lifted_ ? 3 : 1.5F), id);
    const std::string title = fmt::format("device {}", device_);
    y_ = rect.y + pen_.px(3);
    const std::string state = state_text(input_, state_);
    pen_.text({rect.x + pen_.px(6), y_ + row_ / 2}, title, {pen_.theme.text, 1, Align::left, true, false});
    const float beside = pen_.px(14) + pen_.width(title, 1, true);
    pen_.text({rect.x + beside, y_ + row_ / 2}, pen_.elided(state, rect.w - beside - pen_.px(4), 0.9F),
              {waits ? pen_.theme.warning : pen_.theme.muted_text, 0.9F});
    pen_.accessible(rect, id,
                    fmt::format("{}, {}, {} of vmem", title, state,
                                format_bytes(static_cast<double>(state_.vmem_bytes))));
    y_ += row_ + pen_.px(2);
    pen_.scene.push_clip(rect);
    buffers();
    semaphores();
    pen_.scene.pop_clip();
    return card_;
  }

 private:
  void buffers() {
    for (size_t b = 0; b < input_.layout.buffers.size(); ++b) {
      if (!state_.buffers[b].exists || y_ + row_ > card_.rect.bottom()) continue;
      buffer(static_cast<int32_t>(b));
    }
  }

  void buffer(int32_t b) {
    const KernelBuffer& buffer = input_.layout.buffers[static_cast<size_t>(b)];
    const KernelBufferState& state = state_.buffers[static_cast<size_t>(b)];
    const float names = std::min(pen_.px(110), card_.rect.w * 0.4F);
    const Rect at{card_.rect.x + names, y_ + pen_.px(2), card_.rect.w - names - pen_.px(6),
                  row_ - pen_.px(4)};
    pen_.text({card_.rect.x + pen_.px(6), y_ + row_ / 2},
              pen_.elided(fmt::format("{} {}", buffer.name, name(buffer.space)), names - pen_.px(10), 0.8F),
              {pen_.theme.text, 0.8F});
    ItemId item;
    item.kind = ItemId::Kind::buffer;
    item.device = device_;
    item.index = b;
    const int32_t id = pen_.id(item);
    const int64_t parts = std::min<int64_t>(buffer.rows, 32);
    const std::vector<double> bands = initialised_bands(buffer, state, parts);
    const float width = at.w / static_cast<float>(parts);
    const Color full = space_color(pen_.theme, buffer.space);
    for (size_t p = 0; p < bands.size(); ++p) {
      const Rect band{at.x + width * static_cast<float>(p), at.y, width, at.h};
      RectItem drawn;
      drawn.rect = band;
      drawn.fill = mixed(pen_.theme.background, full, bands[p]);
      drawn.id = id;
      if (bands[p] < 1) {
        drawn.pattern = Pattern::stripes;
        drawn.pattern_color = with_alpha(pen_.theme.muted_text, 0.5);
      }
      pen_.scene.add(drawn);
    }
    pen_.outline(at, pen_.theme.rule, 1, id);
    pen_.accessible(at, id,
                    fmt::format("device {}, {}, {} of {} elements written", device_, buffer.name,
                                state.initialised_count, buffer.rows * buffer.cols));
    card_.buffers[static_cast<size_t>(b)] = at;
    y_ += row_;
  }

  // Those that hold something or are waited for, as many as fit.
  void semaphores() {
    float x = card_.rect.x + pen_.px(6);
    y_ += pen_.px(3);
    for (size_t s = 0; s < input_.layout.semaphores.size(); ++s) {
      const bool waited = state_.waits_for == static_cast<int32_t>(s);
      if (state_.semaphores[s] == 0 && !waited) continue;
      const std::string text = fmt::format("{} {}", input_.layout.semaphores[s].name, state_.semaphores[s]);
      const float width = pen_.width(text, 0.8F) + pen_.px(10);
      if (x + width > card_.rect.right()) {
        x = card_.rect.x + pen_.px(6);
        y_ += row_;
      }
      if (y_ + row_ > card_.rect.bottom()) return;
      RectItem chip;
      chip.rect = {x, y_ + pen_.px(1), width, row_ - pen_.px(2)};
      chip.fill = with_alpha(waited ? pen_.theme.warning : pen_.theme.copy, 0.25);
      chip.radius = pen_.px(6);
      pen_.scene.add(chip);
      pen_.text({x + pen_.px(5), y_ + row_ / 2}, text, {pen_.theme.text, 0.8F});
      x += width + pen_.px(4);
    }
  }

  Pen& pen_;
  const KernelViewInput& input_;
  int32_t device_;
  const KernelDeviceState& state_;
  bool lifted_;
  float row_, y_ = 0;
  KernelCard card_;
};

int64_t columns_of(const Mesh& mesh, int64_t devices) {
  if (mesh.rank() >= 2) return mesh.axis_size(mesh.rank() - 1);
  return devices <= 3 ? devices : static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(devices))));
}

}  // namespace

std::vector<KernelCard> draw_kernel_devices(Pen& pen, const KernelViewInput& input,
                                            const KernelViewport& viewport, const Rect& area) {
  const int64_t devices = static_cast<int64_t>(input.frame.devices.size());
  const int64_t columns = columns_of(input.layout.mesh, devices), rows = ceil_div(devices, columns);
  const float gap = pen.px(18);
  const float width = (area.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const float height = (area.h - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows);
  std::vector<KernelCard> cards;
  for (int32_t d = 0; d < static_cast<int32_t>(devices); ++d) {
    const Rect rect{area.x + (width + gap) * static_cast<float>(d % columns),
                    area.y + (height + gap) * static_cast<float>(d / columns), std::max(0.0F, width),
                    std::max(0.0F, height)};
    cards.push_back(CardPainter(pen, input, d, rect, viewport.device == d).paint());
  }
  return cards;
}

void draw_kernel_dmas(Pen& pen, const KernelViewInput& input, const std::vector<KernelCard>& cards) {
  const int32_t devices = static_cast<int32_t>(cards.size());
  for (const KernelDma& dma : input.frame.in_flight) {
    // A part of a buffer by the middle of its rows.
    const auto place = [&](int32_t device, int32_t buffer, const Box& box) {
      const KernelCard& card = cards[static_cast<size_t>(device)];
      const Rect& at = card.buffers[static_cast<size_t>(buffer)];
      if (at.w <= 0) return Point{card.rect.x + card.rect.w / 2, card.rect.y + card.rect.h / 2};
      const double rows = static_cast<double>(input.layout.buffers[static_cast<size_t>(buffer)].rows);
      const double middle = (static_cast<double>(box.row) + static_cast<double>(box.rows) / 2) / rows;
      return Point{at.x + at.w * static_cast<float>(middle), at.y + at.h / 2};
    };
    const Point from = place(dma.source_device, dma.source_buffer, dma.source);
    const Point to = place(dma.target_device, dma.target_buffer, dma.target);
    ItemId item;
    item.kind = ItemId::Kind::link;
    item.device = dma.source_device;
    item.index = dma.number;
    const Color color = identity_color(pen.theme, dma.source_device, devices);
    LineItem line;
    line.points = {from, to};
    line.color = color;
    line.width = pen.px(2);
    line.dashed = !dma.read;  // nothing has left the source yet
    line.arrow = true;
    line.id = pen.id(item);
    pen.scene.add(line);
    const Point middle{(from.x + to.x) / 2, (from.y + to.y) / 2};
    const std::string label = fmt::format("DMA {}", dma.number);
    const float width = pen.width(label, 0.8F) + pen.px(8);
    RectItem plate;
    plate.rect = {middle.x - width / 2, middle.y - pen.px(8), width, pen.px(16)};
    plate.fill = pen.theme.background;
    plate.radius = pen.px(4);
    plate.id = line.id;
    pen.scene.add(plate);
    pen.text(middle, label, {pen.theme.text, 0.8F, Align::center, false, false});
    pen.accessible(
        plate.rect, line.id,
        fmt::format("DMA {}, device {} to {}, {}, started at line {}", dma.number, dma.source_device,
                    dma.target_device, dma.read ? "read, not yet written" : "started", dma.line));
  }
}

}  // namespace shardscope
