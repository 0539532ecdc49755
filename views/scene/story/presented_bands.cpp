// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/presented_bands.h"

#include <algorithm>

#include "views/scene/core/pen.h"

namespace shardscope::inline views {
namespace {

constexpr float kLineHeight = 1.3F, kBandMargin = 0.6F;  // of the text's size

struct Lines {
  std::vector<std::string> texts;
  float margin = 0, line = 0;
  float height() const { return line * static_cast<float>(std::max<size_t>(1, texts.size())) + margin; }
};

// Bold letters are wider than those that wrapped_lines measures.
Lines lines_of(std::string_view text, float room_beside, const Canvas& canvas, Face face) {
  const float px = canvas.theme.least_px;
  const MeasureText measure = [&canvas, face](std::string_view part, float at, Face) {
    return canvas.measure(part, at, face);
  };
  Lines out{{}, px * kBandMargin, px * kLineHeight};
  out.texts = wrapped_lines(text, px, canvas.width - 2 * out.margin - room_beside, measure);
  return out;
}

float place_width(std::string_view place, const Canvas& canvas) {
  if (place.empty()) return 0;
  return canvas.measure(place, canvas.theme.least_px, Face::sans) + canvas.theme.least_px * 2 * kBandMargin;
}

void draw_lines(Pen& pen, const Lines& lines, const TextStyle& style) {
  float y = lines.margin / 2 + lines.line / 2;
  for (const std::string& text : lines.texts) {
    pen.text({lines.margin, y}, text, style);
    y += lines.line;
  }
}

}  // namespace

std::string presented_name(const Run& run) {
  return run.strategy + " · " + run.mesh.text() + " · " + run.hardware.name;
}

float presented_head_height(std::string_view name, std::string_view place, const Canvas& canvas) {
  return lines_of(name, place_width(place, canvas), canvas, Face::bold).height();
}

Scene layout_presented_head(std::string_view name, std::string_view place, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  scene.background = canvas.theme.panel;
  const Lines lines = lines_of(name, place_width(place, canvas), canvas, Face::bold);
  draw_lines(pen, lines, {canvas.theme.text, 1, Align::left, Face::bold});
  pen.text({canvas.width - lines.margin, lines.margin / 2 + lines.line / 2}, std::string(place),
           {canvas.theme.muted_text, 1, Align::right});
  pen.accessible({0, 0, canvas.width, canvas.height}, -1, std::string(name) + "; " + std::string(place));
  return scene;
}

float presented_foot_height(std::string_view sentence, const Canvas& canvas) {
  return lines_of(sentence, 0, canvas, Face::sans).height();
}

Scene layout_presented_foot(std::string_view sentence, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  scene.background = canvas.theme.panel;
  draw_lines(pen, lines_of(sentence, 0, canvas, Face::sans), {canvas.theme.text, 1, Align::left, Face::sans});
  pen.accessible({0, 0, canvas.width, canvas.height}, -1, std::string(sentence));
  return scene;
}

}  // namespace shardscope::inline views
