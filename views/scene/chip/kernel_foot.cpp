// SPDX-License-Identifier: Apache-2.0
// Below the kernel: what was found, and what the signs mean.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/chip/kernel_parts.h"

namespace shardscope {
namespace {

constexpr float kFootRow = 17;  // at 13 px text
constexpr size_t kMostFindings = 3;

struct FootLine {
  std::string text;
  bool head = false;     // bold, in the colour of warnings
  int32_t finding = -1;  // its place in the frame's findings
};

std::string access_text(int number, const KernelAccess& access) {
  std::string where;
  if (access.step >= 0) where += say("step {}", access.step);
  if (access.line > 0) where += say("{}line {}", where.empty() ? "" : ", ", access.line);
  return fmt::format("{}  {}{}{}", number, where, where.empty() ? "" : ": ", access.text);
}

// The finding looked at, in full; without one, what was found up to here.
std::vector<FootLine> foot_lines(const Pen& pen, const KernelViewInput& input, float width) {
  std::vector<FootLine> out;
  const auto wrap = [&](const std::string& text) {
    for (std::string& line : wrapped_lines(text, pen.text_px(0.95F), width - pen.px(9), pen.canvas.measure))
      out.push_back({std::move(line), false, -1});
  };
  if (input.finding != nullptr) {
    const KernelFinding& finding = *input.finding;
    out.push_back({say("{}, noticed {}", name(finding.kind),
                       finding.step >= input.steps ? said("at the end") : say("in step {}", finding.step)),
                   true, -1});
    wrap(finding.message);
    if (!finding.missing.empty()) wrap(said("What is missing: ") + finding.missing);
    if (finding.second.device >= 0) {
      wrap(access_text(1, finding.first));
      wrap(access_text(2, finding.second));
    }
    return out;
  }
  const auto& findings = input.frame.findings;
  if (findings.empty()) {
    out.push_back({said("nothing found so far"), false, -1});
    return out;
  }
  out.push_back({say("{} finding{} so far", findings.size(), findings.size() == 1 ? "" : "s"), true, -1});
  const size_t first = findings.size() > kMostFindings ? findings.size() - kMostFindings : 0;
  for (size_t i = first; i < findings.size(); ++i) {
    const KernelFinding& finding = findings[i];
    out.push_back({fmt::format("{}: {}{}{}", name(finding.kind), finding.message,
                               finding.missing.empty() ? "" : said("; missing: "), finding.missing),
                   false, static_cast<int32_t>(i)});
  }
  return out;
}

// A small picture has room for the kernel alone.
bool has_legend(const Pen& pen) {
  return pen.canvas.height >= pen.px(330);
}

bool any_wrong(const KernelFrame& frame) {
  return std::any_of(frame.devices.begin(), frame.devices.end(), [](const KernelDeviceState& device) {
    return std::any_of(device.buffers.begin(), device.buffers.end(),
                       [](const KernelBufferState& buffer) { return !buffer.wrong.empty(); });
  });
}

// A small picture and its word; what does not fit is left out.
class LegendPainter {
 public:
  LegendPainter(Pen& pen, const Rect& area, bool wrong) : pen_(pen), area_(area), wrong_(wrong), x_(area.x) {}

  void paint() {
    const Color full = identity_color(pen_.theme, 4, 8), vmem = identity_color(pen_.theme, 2, 8);
    box(full, Pattern::none, {}, said("written, in hbm"));
    box(vmem, Pattern::none, {}, said("in vmem"));
    box(pen_.theme.background, Pattern::stripes, with_alpha(pen_.theme.muted_text, 0.5),
        said("not written yet"));
    if (wrong_) {
      box(mixed(pen_.theme.background, pen_.theme.warning, 0.45), Pattern::cross, pen_.theme.warning,
          said("wrong value"));
    }
    arrow(true, said("copy started, nothing read yet"));
    arrow(false, said("read, on its way"));
    words(said("semaphores show their value; a device waits until its own is high enough"));
  }

 private:
  bool fits(float picture, const std::string& text) const {
    return x_ + picture + pen_.width(text, 0.8F) <= area_.right();
  }
  void words(const std::string& text) {
    if (!fits(0, text)) return;
    pen_.text({x_, area_.y + area_.h / 2}, text, {pen_.theme.muted_text, 0.8F});
    x_ += pen_.width(text, 0.8F) + pen_.px(14);
  }
  void box(Color fill, Pattern pattern, Color pattern_color, const std::string& text) {
    const float size = pen_.px(12);
    if (!fits(size, text)) return;
    RectItem drawn;
    drawn.rect = {x_, area_.y + (area_.h - size) / 2, size, size};
    drawn.fill = fill;
    drawn.border = pen_.theme.rule;
    drawn.border_width = 1;
    drawn.pattern = pattern;
    drawn.pattern_color = pattern_color;
    pen_.scene.add(drawn);
    x_ += size + pen_.px(5);
    words(text);
  }
  void arrow(bool dashed, const std::string& text) {
    const float size = pen_.px(26), y = area_.y + area_.h / 2;
    if (!fits(size, text)) return;
    LineItem line;
    line.points = {{x_, y}, {x_ + size, y}};
    line.color = pen_.theme.muted_text;
    line.width = pen_.px(1.5F);
    line.dashed = dashed;
    line.arrow = true;
    pen_.scene.add(line);
    x_ += size + pen_.px(5);
    words(text);
  }

  Pen& pen_;
  Rect area_;
  bool wrong_;
  float x_;
};

}  // namespace

float kernel_foot_height(const Pen& pen, const KernelViewInput& input, float width) {
  const float lines = static_cast<float>(foot_lines(pen, input, width).size());
  const float wanted = pen.px(kFootRow) * (lines + (has_legend(pen) ? 1 : 0)) + pen.px(8);
  return std::min(wanted, pen.canvas.height * (has_legend(pen) ? 0.42F : 0.25F));
}

void draw_kernel_foot(Pen& pen, const KernelViewInput& input, const Rect& area) {
  const float row = pen.px(kFootRow);
  pen.scene.push_clip(area);
  if (has_legend(pen)) LegendPainter(pen, {area.x, area.y, area.w, row}, any_wrong(input.frame)).paint();
  float y = area.y + (has_legend(pen) ? row + pen.px(2) : 0);
  for (const FootLine& line : foot_lines(pen, input, area.w)) {
    const Rect at{area.x, y, area.w, row};
    y += row;
    if (line.finding >= 0) {
      ItemId item;
      item.kind = ItemId::Kind::step;
      item.index = line.finding;
      const int32_t id = pen.id(item);
      const KernelFinding& finding = input.frame.findings[static_cast<size_t>(line.finding)];
      const bool now = finding.step + 1 == input.frame.step;
      pen.rect(at, with_alpha(pen.theme.warning, now ? 0.3 : 0.1), id);
      pen.accessible(at, id, line.text);
    }
    const Color color = line.head ? pen.theme.warning : pen.theme.text;
    pen.text({at.x + pen.px(line.head ? 0 : 4), at.y + row / 2},
             pen.elided(line.text, at.w - pen.px(8), 0.95F, bold_if(line.head)),
             {color, 0.95F, Align::left, bold_if(line.head)});
  }
  if (input.finding != nullptr)
    pen.accessible(area, -1,
                   say("{}: {}; missing: {}", name(input.finding->kind), input.finding->message,
                       input.finding->missing));
  pen.scene.pop_clip();
}

}  // namespace shardscope
