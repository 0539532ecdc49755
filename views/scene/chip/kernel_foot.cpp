// SPDX-License-Identifier: Apache-2.0
// Below the kernel: what was found, and what the signs mean.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/chip/kernel_parts.h"
#include "views/scene/core/legend.h"

namespace shardscope::inline views {
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
  if (access.step >= 0) where += say("step {}", access.step + 1);
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
    out.push_back(
        {say("{}, noticed {}", name(finding.kind),
             finding.step >= input.steps ? said("at the end") : say("in step {}", finding.step + 1)),
         true, -1});
    wrap(finding.message);
    if (!finding.missing.empty()) wrap(said("What is missing: ") + finding.missing);
    // Before a class the listing marks both.
    if (finding.second.device >= 0 && !pen.theme.presented()) {
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
  out.push_back({say("{} so far", counted(findings.size(), "finding")), true, -1});
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

LegendEntry arrow_sign(Mark mark, const Theme& theme, bool dashed, std::vector<std::string> words) {
  LegendEntry out{mark, 0, std::move(words)};
  out.stroke = {{{0, 0}}, theme.muted_text, 1.5F, dashed, true, -1};
  return out;
}

std::vector<LegendEntry> kernel_signs(const Theme& theme, int devices) {
  const auto box = [&](Mark mark, Color fill, std::vector<std::string> words) {
    LegendEntry out{mark, 0, std::move(words)};
    out.sample.fill = fill;
    out.sample.border = theme.rule;
    out.sample.border_width = 1;
    return out;
  };
  LegendEntry owner = box(Mark::owner, identity_color(theme, 0, devices),
                          {said("of the device of that colour"), said("whose")});
  LegendEntry unwritten =
      box(Mark::unwritten, theme.background, {said("not written yet"), said("unwritten")});
  unwritten.sample.pattern = Pattern::stripes;
  unwritten.sample.pattern_color = with_alpha(theme.muted_text, 0.5);
  LegendEntry wrong =
      box(Mark::wrong, mixed(theme.background, theme.warning, 0.45), {said("wrong value"), said("wrong")});
  wrong.sample.pattern = Pattern::cross;
  wrong.sample.pattern_color = theme.warning;
  return {owner, unwritten, wrong,
          arrow_sign(Mark::copy_started, theme, true,
                     {said("copy started, nothing read yet"), said("copy started")}),
          arrow_sign(Mark::copy_read, theme, false, {said("read, on its way"), said("on its way")})};
}

void draw_kernel_legend(Pen& pen, const Rect& line, int devices) {
  if (pen.theme.presented())
    return draw_legend_lines(pen, marked(pen, kernel_signs(pen.theme, devices)), line);
  const float end = draw_legend_line(pen, marked(pen, kernel_signs(pen.theme, devices)), line, 0.8F);
  const std::string words =
      pen.marked(Mark::semaphore)
          ? said("semaphores show their value; a device waits until its own is high enough")
          : "";
  pen.text({end, line.y + line.h / 2}, pen.fitting({words}, line.right() - end, 0.8F),
           {pen.theme.muted_text, 0.8F});
}

}  // namespace

float kernel_foot_height(const Pen& pen, const KernelViewInput& input, float width) {
  const float lines = static_cast<float>(foot_lines(pen, input, width).size());
  const float wanted = pen.px(kFootRow) * (lines + (has_legend(pen) ? 1 : 0)) + pen.px(8);
  return std::min(wanted, pen.canvas.height * (has_legend(pen) ? 0.42F : 0.25F));
}

void draw_kernel_foot(Pen& pen, const KernelViewInput& input, const Rect& area) {
  const float row = pen.px(kFootRow);
  pen.scene.push_clip(area);
  if (has_legend(pen))
    draw_kernel_legend(pen, {area.x, area.y, area.w, row}, static_cast<int>(input.frame.devices.size()));
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
             pen.theme.presented() ? line.text
                                   : pen.elided(line.text, at.w - pen.px(8), 0.95F, bold_if(line.head)),
             {color, 0.95F, Align::left, bold_if(line.head)});
  }
  if (input.finding != nullptr)
    pen.accessible(area, -1,
                   say("{}: {}; missing: {}", name(input.finding->kind), input.finding->message,
                       input.finding->missing));
  pen.scene.pop_clip();
}

}  // namespace shardscope::inline views
