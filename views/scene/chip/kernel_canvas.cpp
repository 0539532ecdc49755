// SPDX-License-Identifier: Apache-2.0
#include "views/scene/chip/kernel_canvas.h"

#include <algorithm>

#include "engine/base/say.h"
#include "views/scene/chip/kernel_parts.h"

namespace shardscope::inline views {
namespace {

constexpr float kLessonRow = 16;

std::vector<std::string> lesson_lines(const Pen& pen, const KernelViewInput& input, float width) {
  if (input.bare) return {};
  auto out = wrapped_lines(input.layout.listing.comment, pen.text_px(0.9F), width, pen.canvas.measure);
  if (pen.canvas.height < pen.px(360)) out.clear();  // the text itself comes first
  return out;
}

// Before a class, whose head has the kernel's name: of a narration the parts that fit, none of them cut.
void draw_whole_parts(Pen& pen, std::string narration) {
  const float margin = pen.px(8);
  while (pen.width(narration) > pen.canvas.width - 2 * margin) {
    const size_t last = narration.rfind(" · ");
    if (last == std::string::npos) break;
    narration.resize(last);
  }
  pen.text({margin, pen.px(12)}, narration, {pen.theme.text});
}

void draw_lesson(Pen& pen, const KernelViewInput& input, const Rect& area) {
  float y = area.y + pen.px(kLessonRow) / 2;
  for (const std::string& line : lesson_lines(pen, input, area.w)) {
    pen.text({area.x, y}, line, {pen.theme.muted_text, 0.9F});
    y += pen.px(kLessonRow);
  }
}

}  // namespace

KernelAreas kernel_areas(const KernelViewInput& input, const Canvas& canvas) {
  Scene nothing;
  const Pen pen(nothing, canvas);
  const float margin = pen.px(pen.theme.presented() ? 8 : 12), top = pen.px(pen.theme.presented() ? 24 : 32);
  const float foot = kernel_foot_height(pen, input, canvas.width - 2 * margin);
  const float height = std::max(0.0F, canvas.height - top - foot - margin);
  // A line of code is read, a device is only looked at.
  const float readable = std::min(pen.px(340), canvas.width * 0.55F);
  const float left = std::min(pen.px(560), std::max(readable, canvas.width * 0.42F));
  KernelAreas out;
  const float lesson =
      pen.px(kLessonRow) * static_cast<float>(lesson_lines(pen, input, left - margin).size());
  out.lesson = {margin, top, left - margin, lesson};
  out.listing = {margin, top + lesson, left - margin, std::max(0.0F, height - lesson)};
  out.devices = {left + margin, top, std::max(0.0F, canvas.width - left - 2 * margin), height};
  out.foot = {margin, top + height + margin / 2, canvas.width - 2 * margin, foot};
  out.lines = last_lines_that_fit(pen, input, out.listing);
  return out;
}

Scene layout_kernel(const KernelViewInput& input, const KernelViewport& viewport, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const float margin = pen.px(12);
  if (input.frame.devices.empty()) {
    pen.empty_state(said("no kernel"), said("run one to see its devices"));
    return scene;
  }
  const std::string narration = narrate_kernel(input);
  if (pen.theme.presented()) {
    draw_whole_parts(pen, narration);
  } else {
    pen.text({margin, pen.px(16)}, input.layout.kernel, {pen.theme.text, 1.15F, Align::left, Face::bold});
    const float title = margin + pen.width(input.layout.kernel, 1.15F, Face::bold) + pen.px(14);
    pen.text({title, pen.px(16)}, pen.elided(narration, canvas.width - title - margin), {pen.theme.text});
  }
  pen.accessible({0, 0, canvas.width, pen.px(28)}, -1, input.layout.kernel + ", " + narration);
  const KernelAreas areas = kernel_areas(input, canvas);
  draw_lesson(pen, input, areas.lesson);
  draw_kernel_listing(pen, input, viewport, areas);
  scene.push_clip(areas.devices);
  const std::vector<KernelCard> cards = draw_kernel_devices(pen, input, viewport, areas.devices);
  draw_kernel_dmas(pen, input, viewport, cards);
  scene.pop_clip();
  draw_kernel_foot(pen, input, areas.foot);
  return scene;
}

Scene layout_kernel_moment(const KernelLayout& layout, const KernelFrame& frame, int64_t steps,
                           const std::vector<int32_t>& unlike, const Canvas& canvas) {
  const KernelFinding* last = frame.findings.empty() ? nullptr : &frame.findings.back();
  return layout_kernel({layout, frame, steps, last, unlike, true}, {}, canvas);
}

}  // namespace shardscope::inline views
