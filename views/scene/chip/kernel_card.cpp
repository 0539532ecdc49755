// SPDX-License-Identifier: Apache-2.0
#include "views/scene/chip/kernel_card.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/units.h"

namespace shardscope::inline views {
namespace {

constexpr int64_t kMostBands = 64;

// Bands that all have the same number of rows, if there are not too few of them.
int64_t bands_of(int64_t rows) {
  for (int64_t parts = std::min(rows, kMostBands); parts >= kMostBands / 4; --parts) {
    if (rows % parts == 0) return parts;
  }
  return std::min(rows, kMostBands / 2);
}

// How many of `marks`' elements are 1 in each of `parts` equal bands of rows, as a share.
std::vector<double> marked_bands(const KernelBuffer& buffer, const std::vector<uint8_t>& marks,
                                 int64_t parts) {
  std::vector<double> out;
  for (int64_t p = 0; p < parts; ++p) {
    const int64_t first = p * buffer.rows / parts, last = std::max(first + 1, (p + 1) * buffer.rows / parts);
    const auto from = marks.begin() + static_cast<ptrdiff_t>(first * buffer.cols);
    const auto to = marks.begin() + static_cast<ptrdiff_t>(last * buffer.cols);
    out.push_back(static_cast<double>(std::count(from, to, uint8_t{1})) / static_cast<double>(to - from));
  }
  return out;
}

std::vector<double> written_bands(const KernelBuffer& buffer, const KernelBufferState& state, int64_t parts) {
  if (!state.initialised.empty()) return marked_bands(buffer, state.initialised, parts);
  const bool all = state.initialised_count == buffer.rows * buffer.cols;
  return std::vector<double>(static_cast<size_t>(parts), all ? 1.0 : 0.0);
}

std::string state_text(const KernelDeviceState& device) {
  if (!device.entered) return said("not yet inside");
  if (device.exited) return said("has left");
  if (device.waits_for >= 0) return say("waits at line {}", device.line);
  return say("line {}", device.line);
}

// Whose data a band of rows holds: of its first row that has any.
int owner_in(const KernelBufferState& state, size_t band, size_t bands) {
  const size_t rows = state.owners.size();
  const size_t last = std::max(band * rows / bands + 1, (band + 1) * rows / bands);
  for (size_t row = band * rows / bands; row < last && row < rows; ++row)
    if (state.owners[row] >= 0) return state.owners[row];
  return 0;
}

}  // namespace

KernelCardPainter::KernelCardPainter(Pen& pen, const KernelViewInput& input, const KernelViewport& viewport,
                                     int32_t device, const Rect& rect)
    : pen_(pen),
      input_(input),
      viewport_(viewport),
      device_(device),
      state_(input.frame.devices[static_cast<size_t>(device)]),
      row_(pen.px(16)) {
  card_.rect = rect;
  card_.buffers.resize(input.layout.buffers.size());
}

ItemId KernelCardPainter::item(ItemId::Kind kind, int32_t index) const {
  ItemId out;
  out.kind = kind;
  out.device = device_;
  out.index = index;
  return out;
}

bool KernelCardPainter::part_of_finding() const {
  if (input_.finding == nullptr) return false;
  const auto& devices = input_.finding->devices;
  return std::find(devices.begin(), devices.end(), device_) != devices.end();
}

KernelCard KernelCardPainter::paint() {
  const int32_t id = pen_.id(item(ItemId::Kind::device, -1));
  const bool lifted = viewport_.selected.kind == ItemId::Kind::device && viewport_.selected.device == device_;
  const bool hovered = viewport_.hovered.kind == ItemId::Kind::device && viewport_.hovered.device == device_;
  const Color own = identity_color(pen_.theme, device_, static_cast<int>(input_.frame.devices.size()));
  pen_.rect(card_.rect, lifted ? mixed(pen_.theme.panel, own, 0.12) : pen_.theme.panel, id);
  const Color edge = part_of_finding() ? pen_.theme.warning : hovered ? pen_.theme.hover : own;
  const bool thick = lifted || part_of_finding() || input_.frame.moved_device == device_;
  pen_.outline(card_.rect, edge, pen_.px(thick ? 3 : 1.5F), id);
  y_ = card_.rect.y + pen_.px(4);
  pen_.scene.push_clip(card_.rect);
  head();
  waiting();
  buffers();
  semaphores();
  pen_.scene.pop_clip();
  return card_;
}

void KernelCardPainter::head() {
  const Rect& rect = card_.rect;
  const int32_t devices = static_cast<int32_t>(input_.frame.devices.size());
  const Color color = identity_color(pen_.theme, device_, devices);
  const bool waits = state_.waits_for >= 0;
  CircleItem mark;
  mark.center = {rect.x + pen_.px(14), y_ + row_ / 2};
  mark.radius = pen_.px(8);
  mark.fill = color;
  pen_.scene.add(mark);
  pen_.text(mark.center, fmt::format("{}", device_),
            {text_on(pen_.theme, color), 0.8F, Align::center, Face::bold});
  const std::string title = input_.layout.mesh.rank() > 1
                                ? said("device ") + device_name(input_.layout.mesh, device_)
                                : say("device {}", device_);
  const float title_x = rect.x + pen_.px(28);
  const std::string shown = pen_.elided(title, rect.right() - title_x, 1, Face::bold);
  pen_.text({title_x, y_ + row_ / 2}, shown, {pen_.theme.text, 1, Align::left, Face::bold});
  const std::string state = state_text(state_);
  const float beside = title_x + pen_.width(shown, 1, Face::bold) + pen_.px(10);
  pen_.text({beside, y_ + row_ / 2},
            pen_.fitting({state, waits ? "waits" : ""}, rect.right() - beside - pen_.px(4), 0.9F),
            {waits ? pen_.theme.warning : pen_.theme.muted_text, 0.9F});
  std::string name =
      say("{}, {}, {} of vmem", title, state, format_bytes(static_cast<double>(state_.vmem_bytes)));
  if (part_of_finding()) name += said(", part of the finding");
  pen_.accessible(rect, pen_.id(item(ItemId::Kind::device, -1)), name);
  y_ += row_ + pen_.px(3);
}

void KernelCardPainter::waiting() {
  const std::string text = kernel_wait_text(input_, device_);
  // Buffers come first where there is little room.
  if (text.empty() || card_.rect.h < row_ * 6 || pen_.theme.presented()) return;
  const float room = card_.rect.w - pen_.px(14);
  const auto lines = wrapped_lines(text, pen_.text_px(0.8F), room, pen_.canvas.measure);
  for (size_t i = 0; i < lines.size() && i < 2; ++i) {
    pen_.text({card_.rect.x + pen_.px(8), y_ + row_ / 2},
              pen_.elided(i == 1 && lines.size() > 2 ? lines[i] + " …" : lines[i], room, 0.8F),
              {pen_.theme.warning, 0.8F});
    y_ += row_ - pen_.px(1);
  }
}

void KernelCardPainter::buffers() {
  const auto existing = std::count_if(state_.buffers.begin(), state_.buffers.end(),
                                      [](const KernelBufferState& buffer) { return buffer.exists; });
  const float room = card_.rect.bottom() - y_ - 3 * row_;  // semaphores stand below
  buffer_row_ =
      std::clamp(room / static_cast<float>(std::max<std::ptrdiff_t>(1, existing)), row_, 2.5F * row_);
  for (size_t b = 0; b < input_.layout.buffers.size(); ++b) {
    if (!state_.buffers[b].exists || y_ + buffer_row_ > card_.rect.bottom()) continue;
    buffer(static_cast<int32_t>(b));
  }
}

void KernelCardPainter::buffer(int32_t b) {
  const KernelBuffer& buffer = input_.layout.buffers[static_cast<size_t>(b)];
  const KernelBufferState& state = state_.buffers[static_cast<size_t>(b)];
  const float names = std::min(pen_.px(110), card_.rect.w * 0.4F);
  const Rect at{card_.rect.x + names, y_ + pen_.px(2), card_.rect.w - names - pen_.px(8),
                buffer_row_ - pen_.px(4)};
  const float room = names - pen_.px(12);
  const std::string both = pen_.fitting({fmt::format("{} {}", buffer.name, name(buffer.space))}, room, 0.8F);
  pen_.text({card_.rect.x + pen_.px(8), y_ + buffer_row_ / 2},
            both.empty() ? pen_.elided(buffer.name, room, 0.8F) : both, {pen_.theme.text, 0.8F});
  const ItemId own = item(ItemId::Kind::buffer, b);
  const int32_t id = pen_.id(own);
  const int64_t parts = bands_of(buffer.rows);
  const std::vector<double> written = written_bands(buffer, state, parts);
  const int devices = static_cast<int>(input_.frame.devices.size());
  std::vector<double> wrong(written.size(), 0);
  if (!state.wrong.empty()) wrong = marked_bands(buffer, state.wrong, parts);
  const float width = at.w / static_cast<float>(parts);
  for (size_t p = 0; p < written.size(); ++p) {
    RectItem drawn;
    drawn.rect = {at.x + width * static_cast<float>(p), at.y, width, at.h};
    const Color whose = identity_color(pen_.theme, owner_in(state, p, written.size()), devices);
    drawn.fill = mixed(pen_.theme.background, whose, written[p]);
    drawn.id = id;
    if (wrong[p] > 0) {
      drawn.fill = mixed(pen_.theme.background, pen_.theme.warning, 0.45);
      drawn.pattern = Pattern::cross;
      drawn.pattern_color = pen_.theme.warning;
    } else if (written[p] < 1) {
      drawn.pattern = Pattern::stripes;
      drawn.pattern_color = with_alpha(pen_.theme.muted_text, 0.5);
    }
    pen_.scene.add(drawn);
    if (wrong[p] > 0) pen_.mark(Mark::wrong, drawn.rect);
    if (drawn.pattern == Pattern::stripes) pen_.mark(Mark::unwritten, drawn.rect);
    if (wrong[p] <= 0 && written[p] > 0) pen_.mark(Mark::owner, drawn.rect);
  }
  const bool chosen = own == viewport_.selected || own == viewport_.hovered;
  pen_.outline(at, chosen ? pen_.theme.selection : pen_.theme.rule, chosen ? pen_.px(2) : 1, id);
  const auto bad = std::count(state.wrong.begin(), state.wrong.end(), uint8_t{1});
  pen_.accessible(
      at, id,
      say("device {}, {}, {} of {} elements written{}", device_, buffer.name, state.initialised_count,
          buffer.rows * buffer.cols, bad > 0 ? say(", {} of them wrong", bad) : ""));
  card_.buffers[static_cast<size_t>(b)] = at;
  y_ += buffer_row_;
}

// Those that hold something or are waited for, as many as fit; the one that is waited for first.
void KernelCardPainter::semaphores() {
  float x = card_.rect.x + pen_.px(8);
  y_ += pen_.px(3);
  if (state_.waits_for >= 0 && !semaphore(state_.waits_for, x)) return;
  for (size_t s = 0; s < input_.layout.semaphores.size(); ++s) {
    if (state_.semaphores[s] == 0 || state_.waits_for == static_cast<int32_t>(s)) continue;
    if (!semaphore(static_cast<int32_t>(s), x)) return;
  }
}

bool KernelCardPainter::semaphore(int32_t s, float& x) {
  const KernelSemaphore& shown = input_.layout.semaphores[static_cast<size_t>(s)];
  const int64_t value = state_.semaphores[static_cast<size_t>(s)];
  const bool waited = state_.waits_for == s;
  std::string text = fmt::format("{} {}", shown.name, semaphore_value(shown, value));
  if (waited) text += said(" of ") + semaphore_value(shown, state_.waits_units);
  text = pen_.elided(text, card_.rect.w - pen_.px(24), 0.8F);
  const float width = pen_.width(text, 0.8F) + pen_.px(10);
  if (x + width > card_.rect.right() && x > card_.rect.x + pen_.px(8)) {
    x = card_.rect.x + pen_.px(8);
    y_ += row_;
  }
  if (y_ + row_ > card_.rect.bottom()) return false;
  const ItemId own = item(ItemId::Kind::handle, s);
  const int32_t id = pen_.id(own);
  const Color color = waited ? pen_.theme.warning : pen_.theme.copy;
  RectItem chip;
  chip.rect = {x, y_ + pen_.px(1), width, row_ - pen_.px(2)};
  chip.fill = with_alpha(color, waited ? 0.12 : 0.28);
  chip.border = own == viewport_.selected ? pen_.theme.selection : with_alpha(color, 0.6);
  chip.border_width = pen_.px(1);
  chip.radius = pen_.px(6);
  chip.id = id;
  pen_.scene.add(chip);
  pen_.mark(Mark::semaphore, chip.rect);
  if (waited && value > 0) {  // filled as far as it goes
    const double share = std::min(1.0, static_cast<double>(value) / static_cast<double>(state_.waits_units));
    chip.rect.w *= static_cast<float>(share);
    chip.fill = with_alpha(color, 0.3);
    chip.border_width = 0;
    pen_.scene.add(chip);
  }
  pen_.text({x + pen_.px(5), y_ + row_ / 2}, text, {pen_.theme.text, 0.8F});
  pen_.accessible({x, y_, width, row_}, id, say("device {}, semaphore {}", device_, text));
  x += width + pen_.px(4);
  return true;
}

}  // namespace shardscope::inline views
