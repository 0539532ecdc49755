// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/legend.h"

#include <algorithm>

#include "engine/base/say.h"

namespace shardscope::inline views {
namespace {

constexpr float kSide = 11, kStroke = 22, kToWords = 5, kBetween = 14;  // at base size

const std::string& wording(const LegendEntry& entry, size_t shortness) {
  return entry.wordings[std::min(shortness, entry.wordings.size() - 1)];
}

float side_of(const Pen& pen, const LegendEntry& entry) {
  return pen.px(entry.stroke.arrow ? kStroke : kSide);
}

float width_of(const Pen& pen, const LegendEntry& entry, size_t shortness, float size) {
  return side_of(pen, entry) + pen.px(kToWords) + pen.width(wording(entry, shortness), size);
}

float line_width(const Pen& pen, const std::vector<LegendEntry>& entries, size_t shortness, float size) {
  float need = 0;
  for (const LegendEntry& entry : entries)
    need += width_of(pen, entry, shortness, size) + (&entry == entries.data() ? 0 : pen.px(kBetween));
  return need;
}

// How short the words must be; none is that short: the shortest.
size_t shortness_for(const Pen& pen, const std::vector<LegendEntry>& entries, float room, float size) {
  size_t most = 1;
  for (const LegendEntry& entry : entries) most = std::max(most, entry.wordings.size());
  for (size_t shortness = 0; shortness < most; ++shortness) {
    if (line_width(pen, entries, shortness, size) <= room) return shortness;
  }
  return most - 1;
}

}  // namespace

std::vector<LegendEntry> marked(const Pen& pen, std::vector<LegendEntry> entries) {
  std::erase_if(entries, [&](const LegendEntry& e) { return !pen.marked(e.mark, e.index); });
  return entries;
}

float legend_width(const Pen& pen, const std::vector<LegendEntry>& entries, float size) {
  return line_width(pen, entries, 0, size);
}

void draw_legend_sign(Pen& pen, const LegendEntry& entry, const Rect& box) {
  if (!entry.stroke.points.empty()) {
    LineItem sign = entry.stroke;
    sign.points = {{box.x, box.y + box.h / 2}, {box.right(), box.y + box.h / 2}};
    pen.scene.add(sign);
  } else {
    RectItem sign = entry.sample;
    sign.rect = box;
    pen.scene.add(sign);
  }
  pen.accessible(box, -1, said("legend: ") + entry.wordings.front());
}

float draw_legend_line(Pen& pen, const std::vector<LegendEntry>& entries, const Rect& line, float size) {
  float x = line.x;
  const float y = line.y + line.h / 2, high = pen.px(kSide);
  const size_t shortness = shortness_for(pen, entries, line.w, size);
  for (const LegendEntry& entry : entries) {
    const float end = x + width_of(pen, entry, shortness, size);
    if (end > line.right() + 1) return x;
    const float side = side_of(pen, entry);
    draw_legend_sign(pen, entry, {x, y - high / 2, side, high});
    pen.text({x + side + pen.px(kToWords), y}, wording(entry, shortness), {pen.theme.text, size});
    x = end + pen.px(kBetween);
  }
  return x;
}

namespace {

constexpr float kLinePitch = 20;  // at base size
constexpr float kLinesSize = 0.85F;

struct LinePlace {
  float x = 0;
  size_t line = 0;
};

// Where each entry begins; the last one is where the next would.
std::vector<LinePlace> line_places(const Pen& pen, const std::vector<LegendEntry>& entries, float width,
                                   size_t shortness) {
  std::vector<LinePlace> out{{}};
  for (const LegendEntry& entry : entries) {
    const float wide = width_of(pen, entry, shortness, kLinesSize);
    LinePlace at = out.back();
    if (at.x > 0 && at.x + wide > width) at = {0, at.line + 1};
    out.back() = at;
    out.push_back({at.x + wide + pen.px(kBetween), at.line});
  }
  return out;
}

constexpr size_t kFewestWords = 9;

}  // namespace

float legend_lines_height(const Pen& pen, const std::vector<LegendEntry>& entries, float width) {
  const size_t lines = line_places(pen, entries, width, kFewestWords).back().line + 1;
  return pen.px(kLinePitch) * static_cast<float>(lines) + pen.px(4);
}

void draw_legend_lines(Pen& pen, const std::vector<LegendEntry>& entries, const Rect& area) {
  if (entries.empty()) return;
  const size_t least = line_places(pen, entries, area.w, kFewestWords).back().line;
  size_t shortness = 0;
  while (shortness < kFewestWords && line_places(pen, entries, area.w, shortness).back().line > least)
    ++shortness;
  const auto places = line_places(pen, entries, area.w, shortness);
  for (size_t i = 0; i < entries.size(); ++i) {
    const float x = area.x + places[i].x;
    const float y = area.y + pen.px(kLinePitch) * (static_cast<float>(places[i].line) + 0.5F);
    const float side = side_of(pen, entries[i]), high = pen.px(kSide);
    draw_legend_sign(pen, entries[i], {x, y - high / 2, side, high});
    pen.text({x + side + pen.px(kToWords), y}, wording(entries[i], shortness), {pen.theme.text, kLinesSize});
  }
}

}  // namespace shardscope::inline views
