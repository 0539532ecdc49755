// SPDX-License-Identifier: Apache-2.0
// Are the numbers right, and if they differ, which side is off: a verdict, the regions, the element that
// decides.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {
namespace {

bool is_f64(const NumericsReport& n) {
  return n.reference == kF64Reference;
}

std::string verdict_of(const NumericsReport& n) {
  const std::string with = is_f64(n) ? said("the f64 product") : n.reference;
  if (n.allclose && n.max_abs == 0)
    return is_f64(n) ? said("Every number is exact") : say("Every number is equal to that of {}", with);
  if (n.allclose)
    return say("Close to {}: every difference is within {:g} + {:g}·|reference|", with, n.atol, n.rtol);
  return say("{} {}: {:.4g} % of the numbers are further off than {:g} + {:g}·|reference|",
             is_f64(n) ? said("WRONG against") : said("Differs from"), with, n.percent_bad, n.atol, n.rtol);
}

// Lines of at most `room` pixels, broken at blanks.
std::vector<std::string> wrapped(const Pen& pen, const std::string& text, float room) {
  std::vector<std::string> lines(1);
  size_t at = 0;
  while (at < text.size()) {
    const size_t blank = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, blank - at);
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (lines.back().empty() || pen.width(longer) <= room) {
      lines.back() = longer;
    } else {
      lines.push_back(word);
    }
    at = blank + 1;
  }
  return lines;
}

// What a cell's colour means.
struct Scale {
  bool bad = false;  // share of bad elements; else the mean difference
  double top = 0;
  double of(const NumericsRegion& r) const { return bad ? r.percent_bad : r.mean_abs; }
  std::string text(double value) const {
    return bad ? fmt::format("{:.3g} %", value) : fmt::format("{:.2g}", value);
  }
};

Scale scale_of(const NumericsReport& n) {
  Scale scale{n.percent_bad > 0, 0};
  for (const NumericsRegion& r : n.regions) scale.top = std::max(scale.top, scale.of(r));
  return scale;
}

std::string range_text(const NumericsRegion& r) {
  std::vector<std::string> parts;
  for (size_t d = 0; d < r.start.size(); ++d) parts.push_back(fmt::format("{}:{}", r.start[d], r.stop[d]));
  return fmt::format("[{}]", fmt::join(parts, ","));
}

bool holds(const NumericsRegion& r, const std::vector<int64_t>& index) {
  if (index.size() != r.start.size()) return false;
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] < r.start[d] || index[d] >= r.stop[d]) return false;
  }
  return true;
}

const std::vector<int64_t>& decisive(const NumericsReport& n) {
  return n.exact && !n.exact->index.empty() ? n.exact->index : n.worst_index;
}

void draw_regions(Pen& pen, const NumericsReport& n, const Rect& box) {
  const Scale scale = scale_of(n);
  const std::string title =
      scale.bad ? said("share of bad elements, by region") : said("mean |difference|, by region");
  pen.text({box.x, box.y + pen.px(8)}, pen.elided(title, box.w, 0.85F),
           {pen.theme.muted_text, 0.85F, Align::left});
  const Rect grid{box.x, box.y + pen.px(22), box.w, box.h - pen.px(58)};
  const auto rows = static_cast<float>(n.region_rows), cols = static_cast<float>(n.region_cols);
  for (size_t i = 0; i < n.regions.size(); ++i) {
    const auto row = static_cast<float>(i / static_cast<size_t>(n.region_cols)),
               col = static_cast<float>(i % static_cast<size_t>(n.region_cols));
    const Rect cell{grid.x + col * grid.w / cols, grid.y + row * grid.h / rows, grid.w / cols - 1,
                    grid.h / rows - 1};
    const NumericsRegion& r = n.regions[i];
    const double value = scale.of(r);
    const Color fill = cividis(scale.top > 0 ? value / scale.top : 0);
    pen.rect(cell, fill);
    pen.text_in(cell, scale.text(value), {text_on(pen.theme, fill), 0.8F, Align::center});
    if (!decisive(n).empty() && holds(r, decisive(n))) pen.outline(cell, pen.theme.selection, 2);
    pen.accessible(
        cell, -1,
        say("region {}, {:.3g} % bad, mean difference {:.3g}", range_text(r), r.percent_bad, r.mean_abs));
  }
  // The colour scale, from none to the largest region.
  const float y = grid.bottom() + pen.px(8);
  constexpr int kSteps = 32;
  for (int s = 0; s < kSteps; ++s)
    pen.rect({grid.x + static_cast<float>(s) * grid.w / kSteps, y, grid.w / kSteps + 0.5F, pen.px(8)},
             cividis(static_cast<double>(s) / (kSteps - 1)));
  pen.text({grid.x, y + pen.px(18)}, scale.text(0), {pen.theme.muted_text, 0.85F, Align::left});
  pen.text({grid.right(), y + pen.px(18)}, scale.text(scale.top),
           {pen.theme.muted_text, 0.85F, Align::right});
}

struct Line {
  std::string label, value;
};

std::string norms_text(const ErrorNorms& e) {
  return say("{:.3g} (rms {:.3g}, max {:.3g})", e.rel_frobenius, e.rms, e.max_abs);
}

std::vector<Line> facts(const NumericsReport& n) {
  std::vector<Line> out;
  out.push_back({said("differences"),
                 say("max {:.4g}, mean {:.3g}, median {:.3g}", n.max_abs, n.mean_abs, n.median_abs)});
  if (n.max_abs > 0 && std::isfinite(n.smallest_atol))
    out.push_back({said("passes from"), say("atol {:.4g} at rtol {:g}", n.smallest_atol, n.rtol)});
  if (!n.exact) return out;
  const ExactComparison& e = *n.exact;
  out.push_back({said("result against f64"), norms_text(e.result)});
  out.push_back({is_f64(n) ? said("one rounding of f64") : n.reference + said(" against f64"),
                 norms_text(e.reference)});
  if (e.index.empty()) return out;
  out.push_back({"", ""});
  out.push_back({said("decided at"), fmt::format("[{}]", fmt::join(e.index, ","))});
  out.push_back({said("result there"), fmt::format("{:.7g}", e.value)});
  out.push_back({said("reference there"), fmt::format("{:.7g}", e.reference_value)});
  out.push_back({said("f64 there"), fmt::format("{:.7g}", e.exact_value)});
  return out;
}

// The sums over stretches of k that make up the element, as bars from zero: large ones that cancel are seen.
void draw_partials(Pen& pen, const ExactComparison& e, const Rect& box) {
  if (e.partials.size() < 2 || box.h < pen.px(50)) return;
  std::vector<std::pair<std::string, double>> bars;
  for (size_t i = 0; i < e.partials.size(); ++i) bars.emplace_back(say("sum {}", i), e.partials[i]);
  bars.emplace_back(said("their sum"), e.exact_value);
  double top = 1e-300;
  for (const auto& bar : bars) top = std::max(top, std::fabs(bar.second));
  const float height = std::min(pen.px(18), (box.h - pen.px(22)) / static_cast<float>(bars.size()));
  if (height < pen.px(8)) return;
  pen.text({box.x, box.y + pen.px(8)},
           pen.elided(said("its sums over equal stretches of k, in f64"), box.w, 0.85F),
           {pen.theme.muted_text, 0.85F, Align::left});
  const float labels = pen.px(70), values = pen.px(76), width = std::max(1.0F, box.w - labels - values);
  const float zero = box.x + labels + width / 2;
  for (size_t i = 0; i < bars.size(); ++i) {
    const auto& [label, value] = bars[i];
    const float y = box.y + pen.px(20) + static_cast<float>(i) * height;
    const float length = static_cast<float>(value / top) * width / 2;
    const bool last = i + 1 == bars.size();
    pen.text({box.x, y + height / 2}, label, {pen.theme.text, 0.85F, Align::left, bold_if(last)});
    pen.rect({std::min(zero, zero + length), y + 2, std::max(1.0F, std::fabs(length)), height - 4},
             last ? pen.theme.critical : axis_color(pen.theme, 0, value < 0 ? -1 : 1));
    pen.text({box.right(), y + height / 2}, fmt::format("{:.5g}", value),
             {pen.theme.text, 0.85F, Align::right, last ? Face::mono_bold : Face::mono});
    pen.accessible({box.x, y, box.w, height}, -1, fmt::format("{} {:.6g}", label, value));
  }
  pen.line({zero, box.y + pen.px(20)}, {zero, box.y + pen.px(20) + height * static_cast<float>(bars.size())},
           pen.theme.muted_text);
}

}  // namespace

namespace {

// Before a class in as many lines as it takes.
std::vector<std::string> verdict_lines(const Pen& pen, const std::string& verdict, float room) {
  if (!pen.theme.presented()) return {pen.elided(verdict, room, 1, Face::bold)};
  return wrapped_lines(verdict, pen.text_px(), room, [&](std::string_view text, float px, Face) {
    return pen.canvas.measure(text, px, Face::bold);
  });
}

// What is known, a line each; returns the bottom of the last.
float draw_facts(Pen& pen, const NumericsReport& n, const Rect& right) {
  float line = right.y + pen.px(8);
  const std::vector<Line> lines = facts(n);
  float labels = 0;
  for (const Line& l : lines) labels = std::max(labels, pen.width(l.label) + pen.px(14));
  const bool presented = pen.theme.presented();
  if (!presented) labels = std::min(labels, right.w / 2);
  for (const Line& l : lines) {
    if (line > right.bottom() - pen.px(6)) break;
    pen.text({right.x, line}, presented ? l.label : pen.elided(l.label, labels - pen.px(6)),
             {pen.theme.muted_text, 1, Align::left});
    pen.text({right.x + labels, line},
             presented ? pen.fitting({l.value, l.value.substr(0, l.value.find(" (")),
                                      l.value.substr(0, l.value.find(", median"))},
                                     right.w - labels)
                       : pen.elided(l.value, right.w - labels),
             {pen.theme.text, 1, Align::left});
    if (!l.label.empty())
      pen.accessible({right.x, line - pen.px(9), right.w, pen.px(18)}, -1, l.label + ": " + l.value);
    line += l.label.empty() ? pen.px(8) : pen.px(19);
  }
  return line;
}

}  // namespace

Scene layout_numerics(const ViewInput& input, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const NumericsReport& n = input.run.numerics;
  if (!n.checked || n.regions.empty()) {
    pen.empty_state(said("Numerics shows how the result compares with the reference and with f64"),
                    !n.checked ? said("This run's numbers were not checked.")
                    : n.worst_index.empty()
                        ? said("The result has no elements.")
                        : said("Only sums of rows were compared: check exact shows where results differ."));
    return scene;
  }
  const float margin = pen.px(12), room = canvas.width - 2 * margin;
  const std::string verdict = fmt::format("{}: {}", input.run.strategy, verdict_of(n));
  float y = pen.px(14);
  for (const std::string& line : verdict_lines(pen, verdict, room)) {
    pen.text({margin, y}, line,
             {n.allclose ? pen.theme.text : pen.theme.warning, 1, Align::left, Face::bold});
    y += pen.px(18);
  }
  y -= pen.px(18);
  pen.accessible({0, 0, canvas.width, pen.px(24)}, -1, verdict);
  if (n.exact) {
    for (const std::string& line : wrapped(pen, n.exact->explanation, room)) {
      y += pen.px(18);
      pen.text({margin, y}, pen.elided(line, room), {pen.theme.text, 1, Align::left});
    }
    pen.accessible({margin, pen.px(24), room, y - pen.px(14)}, -1, n.exact->explanation);
  }
  y += pen.px(22);
  const float height = canvas.height - y - pen.px(8);
  const bool wide = canvas.width >= pen.px(520);
  float side = wide ? std::min((room - pen.px(24)) / 2, height * 1.6F) : room;
  if (wide && pen.theme.presented()) side = std::min(side, room * 0.33F);
  const Rect grid{margin, y, side, wide ? height : height / 2};
  draw_regions(pen, n, grid);
  const Rect right =
      wide ? Rect{grid.right() + pen.px(24), y, canvas.width - grid.right() - pen.px(36), height}
           : Rect{margin, grid.bottom() + pen.px(8), room, height / 2 - pen.px(8)};
  const float line = draw_facts(pen, n, right);
  if (n.exact)
    draw_partials(pen, *n.exact, {right.x, line + pen.px(10), right.w, right.bottom() - line - pen.px(10)});
  return scene;
}

}  // namespace shardscope::inline views
