// SPDX-License-Identifier: Apache-2.0
#include "views/scene/charts/term_bars.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/core/legend.h"

namespace shardscope::inline views {
namespace {

constexpr float kBar = 26;   // a run's height at base size
constexpr float kHead = 26;  // the legend's

struct Segment {
  std::string name;
  Picoseconds time = 0;
  Color fill;
  Pattern pattern = Pattern::none;
};

std::vector<Segment> segments_of(const TermBar& bar, const Theme& theme) {
  std::vector<Segment> out;
  for (const Term term : kTerms) {
    const Color fill = term == Term::compute   ? theme.compute
                       : term == Term::exposed ? theme.exposed
                                               : theme.panel;
    out.push_back({said(name(term)), bar.terms[static_cast<size_t>(term)], fill,
                   term == Term::exposed ? Pattern::stripes : Pattern::none});
  }
  out.push_back({said("resharding"), bar.price, theme.background, Pattern::dots});
  return out;
}

RectItem face_of(const Segment& segment, const Theme& theme) {
  RectItem item;
  item.fill = segment.fill;
  item.border = theme.muted_text;
  item.border_width = 1;
  item.pattern = segment.pattern;
  item.pattern_color = with_alpha(text_on(theme, segment.fill), 0.35);
  return item;
}

void draw_legend(Pen& pen, const std::vector<TermBar>& bars, float left) {
  std::vector<LegendEntry> signs;
  for (const Segment& segment : segments_of(bars.front(), pen.theme)) {
    const auto number = static_cast<int32_t>(signs.size());
    signs.push_back({Mark::term, number, {segment.name}, face_of(segment, pen.theme)});
  }
  draw_legend_line(pen, marked(pen, signs), {left, 0, pen.canvas.width - left, pen.px(kHead)}, 0.9F);
}

// What a bar says beside it: its total, and what it costs beside.
std::string total_words(const TermBar& bar) {
  Picoseconds total = 0;
  for (const Picoseconds time : bar.terms) total += time;
  if (bar.price == 0) return format_picoseconds(total);
  return fmt::format("{} + {}", format_picoseconds(total), format_picoseconds(bar.price));
}

void draw_run(Pen& pen, const TermBar& bar, const Rect& row, float left, float per_ps) {
  const float middle = row.y + row.h / 2;
  const Face face = bold_if(bar.best);
  pen.text({left - pen.px(8), middle}, pen.elided(bar.name, left - pen.px(12), 0.9F, face),
           {pen.theme.text, 0.9F, Align::right, face});
  float x = left;
  std::string words;
  int32_t number = -1;
  for (const Segment& segment : segments_of(bar, pen.theme)) {
    ++number;
    if (segment.time <= 0) continue;
    const Rect box{x, row.y + pen.px(4), std::max(1.0F, static_cast<float>(segment.time) * per_ps),
                   row.h - pen.px(8)};
    RectItem drawn = face_of(segment, pen.theme);
    drawn.rect = box;
    pen.scene.add(drawn);
    pen.mark(Mark::term, box, number);
    const std::string time = format_picoseconds(segment.time);
    const float width = pen.width(time, 0.8F) + pen.px(6);
    // On a hatched ground a number stands on its own.
    const Rect ground{box.x + (box.w - width) / 2, box.y + 2, width, box.h - 4};
    const bool hatched = segment.pattern != Pattern::none;
    if (width < box.w && (!hatched || Pen::leaves_seen(box, ground))) {
      if (hatched) pen.rect(ground, segment.fill);
      pen.text({box.x + box.w / 2, middle}, time, {text_on(pen.theme, segment.fill), 0.8F, Align::center});
    }
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", segment.name, time);
    x = box.right();
  }
  pen.text({x + pen.px(8), middle}, total_words(bar), {pen.theme.text, 0.9F, Align::left, face});
  pen.accessible(row, -1, fmt::format("{}: {}: {}", bar.name, total_words(bar), words));
}

}  // namespace

Scene layout_term_bars(const std::vector<TermBar>& bars, const Canvas& canvas) {
  Scene scene;
  Canvas whole = canvas;
  {
    Scene unused;
    whole.height = Pen(unused, canvas).px(kHead + kBar * static_cast<float>(bars.size()) + 6);
  }
  Pen pen(scene, whole);
  if (bars.empty()) return scene;
  float names = 0, totals = 0;
  Picoseconds longest = 1;
  for (const TermBar& bar : bars) {
    names = std::max(names, pen.width(bar.name, 0.9F, bold_if(bar.best)));
    totals = std::max(totals, pen.width(total_words(bar), 0.9F, bold_if(bar.best)));
    Picoseconds all = bar.price;
    for (const Picoseconds time : bar.terms) all += time;
    longest = std::max(longest, all);
  }
  const float left = std::min(names + pen.px(20), canvas.width * 0.34F);
  const float room = std::max(1.0F, canvas.width - left - totals - pen.px(20));
  float y = pen.px(kHead);
  for (const TermBar& bar : bars) {
    draw_run(pen, bar, {0, y, canvas.width, pen.px(kBar)}, left, room / static_cast<float>(longest));
    y += pen.px(kBar);
  }
  draw_legend(pen, bars, left);
  return scene;
}

}  // namespace shardscope::inline views
