// SPDX-License-Identifier: Apache-2.0
// The kernel's text with the devices that stand on its lines.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/chip/kernel_parts.h"

namespace shardscope {
namespace {

// The first line shown so that most devices' lines, or those of the finding looked at, are in sight.
int32_t first_shown(const KernelViewInput& input, const KernelViewport& viewport, int32_t fits) {
  const int32_t lines = static_cast<int32_t>(input.layout.listing.lines.size());
  int32_t first = viewport.first_line;
  if (first <= 0) {
    int32_t least = lines + 1, most = 0;
    const auto see = [&](int32_t line) {
      if (line <= 0) return;
      least = std::min(least, line);
      most = std::max(most, line);
    };
    if (viewport.selected.kind == ItemId::Kind::instruction) {
      see(viewport.selected.index);
    } else if (input.finding != nullptr) {
      see(input.finding->first.line);
      see(input.finding->second.line);
    }
    if (most == 0) {
      for (const KernelDeviceState& device : input.frame.devices) see(device.line);
    }
    first = most == 0 ? 1 : std::min(least, std::max(1, (least + most) / 2 - fits / 2));
  }
  return std::clamp(first, 1, std::max(1, lines - fits + 1));
}

// "1", "2" or "1 2": which accesses of the finding looked at stand on this line.
std::string access_marks(const KernelViewInput& input, int32_t line) {
  std::string out;
  if (input.finding == nullptr) return out;
  if (input.finding->first.line == line) out = "1";
  if (input.finding->second.device >= 0 && input.finding->second.line == line)
    out += out.empty() ? "2" : " 2";
  return out;
}

// A mark for each device that stands on the line, the last an ellipsis when there are more.
void draw_marks(Pen& pen, const Rect& at, const std::vector<int32_t>& here, size_t most_marks,
                int32_t devices) {
  for (size_t i = 0; i < here.size() && i < most_marks; ++i) {
    const Point center{at.x + pen.px(8) + pen.px(15) * static_cast<float>(i), at.y + at.h / 2};
    const bool more = i + 1 == most_marks && here.size() > most_marks;
    const Color color = more ? pen.theme.muted_text : identity_color(pen.theme, here[i], devices);
    CircleItem mark;
    mark.center = center;
    mark.radius = pen.px(7);
    mark.fill = color;
    pen.scene.add(mark);
    pen.text(center, more ? std::string("…") : fmt::format("{}", here[i]),
             {text_on(pen.theme, color), 0.75F, Align::center, Face::bold});
  }
}

}  // namespace

void draw_kernel_listing(Pen& pen, const KernelViewInput& input, const KernelViewport& viewport,
                         const KernelAreas& areas) {
  const Rect& area = areas.listing;
  const float row = pen.px(17);
  const auto& lines = input.layout.listing.lines;
  const int32_t devices = static_cast<int32_t>(input.frame.devices.size());
  const size_t most_marks = area.w < pen.px(330) ? 2 : 4;
  const float marks =
      pen.px(15) * static_cast<float>(std::min(static_cast<size_t>(devices), most_marks)) + pen.px(4);
  const int32_t moved = input.frame.moved_device;
  pen.scene.push_clip(area);
  if (lines.empty())
    pen.text({area.x, area.y + row / 2}, said("no text of this kernel is at hand"), {pen.theme.muted_text});
  const int32_t first = first_shown(input, viewport, areas.lines);
  for (int32_t shown = 0; shown < areas.lines; ++shown) {
    const int32_t line = first + shown;
    if (line > static_cast<int32_t>(lines.size())) break;
    const Rect at{area.x, area.y + static_cast<float>(shown) * row, area.w, row};
    std::vector<int32_t> here;
    for (int32_t d = 0; d < devices; ++d) {
      if (input.frame.devices[static_cast<size_t>(d)].line == line) here.push_back(d);
    }
    // The lifted device's mark is not the one that an ellipsis swallows.
    if (here.size() > most_marks)
      std::stable_partition(here.begin(), here.end(), [&](int32_t d) {
        return d == moved ||
               (viewport.selected.kind == ItemId::Kind::device && viewport.selected.device == d);
      });
    const std::string accesses = access_marks(input, line);
    ItemId item;
    item.kind = ItemId::Kind::instruction;
    item.index = line;
    const int32_t id = pen.id(item);
    if (!here.empty() || item == viewport.hovered || item == viewport.selected)
      pen.rect(at, with_alpha(pen.theme.selection, here.empty() ? 0.08 : 0.18), id);
    if (!accesses.empty()) {
      pen.rect(at, with_alpha(pen.theme.warning, 0.14), id);
      pen.outline(at, pen.theme.warning, pen.px(1.5F), id);
    }
    draw_marks(pen, at, here, most_marks, devices);
    pen.text({at.x + marks + pen.px(20), at.y + row / 2}, fmt::format("{}", line),
             {pen.theme.muted_text, 0.85F, Align::right, Face::mono});
    const float text_x = marks + pen.px(28);
    const float right = accesses.empty() ? 0 : pen.width(accesses, 0.85F, Face::bold) + pen.px(12);
    pen.text({at.x + text_x, at.y + row / 2},
             pen.elided(lines[static_cast<size_t>(line) - 1], area.w - text_x - right, 0.9F, Face::mono),
             {here.empty() && accesses.empty() ? pen.theme.muted_text : pen.theme.text, 0.9F, Align::left,
              Face::mono});
    if (!accesses.empty())
      pen.text({at.right() - pen.px(6), at.y + row / 2}, accesses,
               {pen.theme.warning, 0.85F, Align::right, Face::bold});
    if (here.empty() && accesses.empty()) continue;
    std::string name = say("line {}, {} device{} here", line, here.size(), here.size() == 1 ? "" : "s");
    if (!accesses.empty()) name += said(", access ") + accesses + said(" of the finding");
    pen.accessible(at, id, name);
  }
  pen.scene.pop_clip();
}

}  // namespace shardscope
