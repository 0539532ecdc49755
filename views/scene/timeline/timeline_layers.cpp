// SPDX-License-Identifier: Apache-2.0
// Layers that are alike, as one band that says how many and how long, or each by itself where there is room.
#include <algorithm>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kMostLines = 3;
constexpr float kText = 0.85F;

const std::vector<LayerTimes>& layers_of(const ViewInput& input) {
  static const std::vector<LayerTimes> kNone;
  return input.sums != nullptr ? input.sums->layers : kNone;
}

// By fold: the first line on which nothing else is under way; those beyond the last line have none.
std::vector<size_t> lines_of(const std::vector<LayerTimes>& folds) {
  std::vector<Picoseconds> free_from;
  std::vector<size_t> out;
  for (const LayerTimes& fold : folds) {
    const auto line =
        std::ranges::find_if(free_from, [&](Picoseconds from) { return from <= fold.time.start; });
    out.push_back(static_cast<size_t>(line - free_from.begin()));
    if (line == free_from.end())
      free_from.push_back(fold.time.end);
    else
      *line = fold.time.end;
  }
  return out;
}

Color band_color(const Theme& theme, bool odd) {
  return mixed(theme.background, theme.text, odd ? 0.18 : 0.1);
}

// Where a time is in a line, as far as it is seen; width 0: nowhere.
Rect box_of(const TimelineContext& c, const Rect& line, TimeRange time) {
  const float x0 = std::clamp(c.frame.axis.x_of(time.start), line.x, line.right());
  const float x1 = std::clamp(c.frame.axis.x_of(time.end), line.x, line.right());
  return {x0, line.y, x1 - x0, line.h};
}

// The first of the texts that has room.
void label(Pen& pen, const Rect& box, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    if (pen.width(text, kText) + pen.px(6) > box.w) continue;
    return pen.text({box.x + box.w / 2, box.y + box.h / 2}, text, {pen.theme.text, kText, Align::center});
  }
}

void draw_folded(Pen& pen, const TimelineContext& c, const Rect& line, const LayerTimes& fold) {
  const Rect box = box_of(c, line, fold.time);
  if (box.w <= 0) return;
  const std::string words = layer_words(fold);
  pen.rect(box, band_color(pen.theme, false));
  pen.outline(box, pen.theme.rule, 1);
  label(pen, box,
        {fold.path + " · " + words, fold.title + " · " + words, fold.title,
         "×" + std::to_string(fold.layers.size())});
  pen.accessible(box, -1, fold.path + ": " + words);
}

void draw_apart(Pen& pen, const TimelineContext& c, const Rect& line, const LayerTimes& fold) {
  for (size_t l = 0; l < fold.layers.size(); ++l) {
    const LayerTimes::Layer& layer = fold.layers[l];
    const Rect box = box_of(c, line, layer.time);
    if (box.w <= 0) continue;
    const std::string time = format_picoseconds(layer.time.length());
    pen.rect(box, band_color(pen.theme, l % 2 == 1));
    pen.outline(box, pen.theme.rule, 1);
    label(pen, box, {layer.name + " · " + time, layer.name});
    pen.accessible(box, -1, say("{}: {}, one of {}", layer.name, time, layer_words(fold)));
  }
}

bool has_room(const Pen& pen, const TimelineContext& c, const LayerTimes& fold) {
  const auto shortest = static_cast<double>(fold.shortest);
  const double width = shortest / static_cast<double>(std::max<Picoseconds>(1, c.frame.axis.range.length())) *
                       static_cast<double>(c.frame.axis.width);
  return width >= static_cast<double>(pen.width(fold.layers.front().name, kText) + pen.px(6));
}

}  // namespace

size_t layer_lines(const ViewInput& input) {
  size_t lines = 0;
  for (const size_t line : lines_of(layers_of(input))) lines = std::max(lines, line + 1);
  return std::min(lines, kMostLines);
}

void draw_timeline_layers(Pen& pen, const TimelineContext& c) {
  const Rect& all = c.frame.layers;
  if (all.h <= 0) return;
  const std::vector<LayerTimes>& folds = layers_of(c.input);
  const std::vector<size_t> lines = lines_of(folds);
  const float height = all.h / static_cast<float>(layer_lines(c.input));
  const auto hidden = std::ranges::count_if(lines, [](size_t line) { return line >= kMostLines; });
  pen.text({c.frame.labels.right() - pen.px(6), all.y + height / 2},
           hidden > 0 ? say("layers, {} more", hidden) : said("layers"),
           {pen.theme.muted_text, kText, Align::right});
  for (size_t f = 0; f < folds.size(); ++f) {
    if (lines[f] >= kMostLines) continue;
    const Rect line{all.x, all.y + height * static_cast<float>(lines[f]) + 1, all.w, height - 2};
    has_room(pen, c, folds[f]) ? draw_apart(pen, c, line, folds[f]) : draw_folded(pen, c, line, folds[f]);
  }
}

}  // namespace shardscope::inline views
