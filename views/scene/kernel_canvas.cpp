// SPDX-License-Identifier: Apache-2.0
#include "views/scene/kernel_canvas.h"

#include <algorithm>
#include <fmt/format.h>

#include "views/scene/kernel_parts.h"

namespace shardscope {
namespace {

std::string count_of(size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// The first line shown so that most devices' lines are in sight.
int32_t first_shown(const KernelViewInput& input, const KernelViewport& viewport, int32_t fits) {
  const int32_t lines = static_cast<int32_t>(input.layout.listing.lines.size());
  int32_t first = viewport.first_line;
  if (first <= 0) {
    int32_t least = lines + 1, most = 0;
    for (const KernelDeviceState& device : input.frame.devices) {
      if (device.line <= 0) continue;
      least = std::min(least, device.line);
      most = std::max(most, device.line);
    }
    first = most == 0 ? 1 : std::min(least, std::max(1, (least + most) / 2 - fits / 2));
  }
  return std::clamp(first, 1, std::max(1, lines - fits + 1));
}

void draw_listing(Pen& pen, const KernelViewInput& input, const KernelViewport& viewport, const Rect& area) {
  const float row = pen.px(17);
  const int32_t fits = std::max(1, static_cast<int32_t>(area.h / row));
  const auto& lines = input.layout.listing.lines;
  const int32_t devices = static_cast<int32_t>(input.frame.devices.size());
  const float marks = pen.px(15) * static_cast<float>(std::min(devices, 4)) + pen.px(4);
  pen.scene.push_clip(area);
  if (lines.empty()) {
    pen.text({area.x, area.y + row / 2}, "no text of this kernel is at hand", {pen.theme.muted_text});
  }
  const int32_t first = first_shown(input, viewport, fits);
  for (int32_t shown = 0; shown < fits; ++shown) {
    const int32_t line = first + shown;
    if (line > static_cast<int32_t>(lines.size())) break;
    const Rect at{area.x, area.y + static_cast<float>(shown) * row, area.w, row};
    std::vector<int32_t> here;
    for (int32_t d = 0; d < devices; ++d) {
      if (input.frame.devices[static_cast<size_t>(d)].line == line) here.push_back(d);
    }
    ItemId item;
    item.kind = ItemId::Kind::instruction;
    item.index = line;
    if (!here.empty()) pen.rect(at, with_alpha(pen.theme.selection, 0.18), pen.id(item));
    for (size_t i = 0; i < here.size() && i < 4; ++i) {
      const Point center{at.x + pen.px(8) + pen.px(15) * static_cast<float>(i), at.y + row / 2};
      const Color color = identity_color(pen.theme, here[i], devices);
      CircleItem mark;
      mark.center = center;
      mark.radius = pen.px(7);
      mark.fill = color;
      pen.scene.add(mark);
      const bool more = i == 3 && here.size() > 4;
      pen.text(center, more ? std::string("…") : fmt::format("{}", here[i]),
               {text_on(pen.theme, color), 0.75F, Align::center, true, false});
    }
    pen.text({at.x + marks + pen.px(20), at.y + row / 2}, fmt::format("{}", line),
             {pen.theme.muted_text, 0.85F, Align::right, false, true});
    const float text_x = marks + pen.px(28);
    pen.text({at.x + text_x, at.y + row / 2},
             pen.elided(lines[static_cast<size_t>(line) - 1], area.w - text_x, 0.9F, false, true),
             {here.empty() ? pen.theme.muted_text : pen.theme.text, 0.9F, Align::left, false, true});
    if (!here.empty())
      pen.accessible(at, pen.id(item),
                     fmt::format("line {}, {} here", line, count_of(here.size(), "device")));
  }
  pen.scene.pop_clip();
}

void draw_findings(Pen& pen, const KernelViewInput& input, const Rect& area) {
  const float row = pen.px(18);
  const auto& findings = input.frame.findings;
  pen.text({area.x, area.y + row / 2},
           findings.empty() ? "nothing found so far" : count_of(findings.size(), "finding"),
           {findings.empty() ? pen.theme.muted_text : pen.theme.warning, 1, Align::left, true, false});
  const size_t fits = static_cast<size_t>(std::max(0.0F, area.h / row - 1));
  const size_t first = findings.size() > fits ? findings.size() - fits : 0;  // the newest stay in sight
  for (size_t i = first; i < findings.size(); ++i) {
    const KernelFinding& finding = findings[i];
    const Rect at{area.x, area.y + row * static_cast<float>(i - first + 1), area.w, row};
    ItemId item;
    item.kind = ItemId::Kind::step;
    item.index = static_cast<int32_t>(finding.step);
    const bool now = finding.step + 1 == input.frame.step;
    pen.rect(at, with_alpha(pen.theme.warning, now ? 0.3 : 0.1), pen.id(item));
    const std::string text = fmt::format("{}: {}{}{}", name(finding.kind), finding.message,
                                         finding.missing.empty() ? "" : "; missing: ", finding.missing);
    pen.text({at.x + pen.px(4), at.y + row / 2}, pen.elided(text, at.w - pen.px(8), 0.9F),
             {pen.theme.text, 0.9F});
    pen.accessible(at, pen.id(item), text);
  }
}

}  // namespace

std::string narrate_kernel(const KernelViewInput& input) {
  const KernelFrame& frame = input.frame;
  std::string out = fmt::format("step {} of {}", frame.step, input.steps);
  if (!frame.action.empty()) out += ", " + frame.action;
  out += fmt::format("; {} in flight", count_of(frame.in_flight.size(), "DMA"));
  for (size_t d = 0; d < frame.devices.size(); ++d) {
    const int32_t semaphore = frame.devices[d].waits_for;
    if (semaphore < 0) continue;
    out += fmt::format("; device {} waits for {}", d,
                       input.layout.semaphores[static_cast<size_t>(semaphore)].name);
  }
  return out;
}

Scene layout_kernel(const KernelViewInput& input, const KernelViewport& viewport, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const float margin = pen.px(12);
  if (input.frame.devices.empty()) {
    pen.empty_state("no kernel", "run one to see its devices");
    return scene;
  }
  pen.text({margin, pen.px(16)}, input.layout.kernel, {pen.theme.text, 1.15F, Align::left, true, false});
  const float title = margin + pen.width(input.layout.kernel, 1.15F, true) + pen.px(14);
  pen.text({title, pen.px(16)}, pen.elided(narrate_kernel(input), canvas.width - title - margin),
           {pen.theme.muted_text});
  const float top = pen.px(32);
  const float foot = pen.px(18) * static_cast<float>(1 + std::min<size_t>(input.frame.findings.size(), 4));
  const float height = std::max(0.0F, canvas.height - top - foot - 2 * margin);
  const float left = std::min(pen.px(560), canvas.width * 0.42F);
  draw_listing(pen, input, viewport, {margin, top, left - margin, height});
  const std::vector<KernelCard> cards = draw_kernel_devices(
      pen, input, viewport, {left + margin, top, std::max(0.0F, canvas.width - left - 2 * margin), height});
  draw_kernel_dmas(pen, input, cards);
  draw_findings(pen, input, {margin, top + height + margin, canvas.width - 2 * margin, foot});
  return scene;
}

}  // namespace shardscope
