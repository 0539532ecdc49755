// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/pen.h"

#include <algorithm>
#include <cmath>

#include "engine/base/say.h"

namespace shardscope::inline views {

Pen::Pen(Scene& out, const Canvas& canvas_in)
    : scene(out), canvas(canvas_in), theme(canvas_in.theme), unit_(canvas_in.theme.scale) {
  scene.width = canvas.width;
  scene.height = canvas.height;
  scene.background = theme.background;
}

float Pen::width(std::string_view text, float size, Face face) const {
  return canvas.measure ? canvas.measure(text, text_px(size), face)
                        : estimate_text_width(text, text_px(size), face);
}

void Pen::text(Point at, std::string text, const TextStyle& style) {
  if (text.empty()) return;
  scene.add(TextItem{at, std::move(text), style.color, text_px(style.size), style.align, style.face});
}

bool Pen::text_in(const Rect& box, const std::string& what, const TextStyle& style) {
  const float margin = px(2);
  if (what.empty() || box.h < text_px(style.size) || box.w < px(6)) return false;
  if (width(what, style.size, style.face) > box.w - 2 * margin) return false;
  const float x = style.align == Align::left     ? box.x + margin
                  : style.align == Align::center ? box.x + box.w / 2
                                                 : box.right() - margin;
  text({x, box.y + box.h / 2}, what, style);
  return true;
}

std::string Pen::elided(const std::string& what, float room, float size, Face face) const {
  if (width(what, size, face) <= room) return what;
  // Whole UTF-8 characters only.
  std::vector<size_t> starts;
  for (size_t i = 0; i < what.size(); ++i) {
    if ((static_cast<unsigned char>(what[i]) & 0xC0U) != 0x80U) starts.push_back(i);
  }
  size_t low = 0;
  size_t high = starts.size();
  while (low + 1 < high) {
    const size_t middle = (low + high) / 2;
    if (width(what.substr(0, starts[middle]) + "…", size, face) <= room)
      low = middle;
    else
      high = middle;
  }
  return low == 0 ? "" : what.substr(0, starts[low]) + "…";
}

std::string Pen::fitting(const std::vector<std::string>& wordings, float room, float size, Face face) const {
  for (const std::string& wording : wordings) {
    if (width(wording, size, face) <= room) return wording;
  }
  return "";
}

void Pen::rect(const Rect& r, Color fill, int32_t item) {
  RectItem out;
  out.rect = r;
  out.fill = fill;
  out.id = item;
  scene.add(out);
}

void Pen::outline(const Rect& r, Color color, float line_width, int32_t item) {
  RectItem out;
  out.rect = r;
  out.fill = {0, 0, 0, 0};
  out.border = color;
  out.border_width = line_width;
  out.id = item;
  scene.add(out);
}

void Pen::line(Point a, Point b, Color color, float line_width, int32_t item) {
  scene.add(LineItem{{a, b}, color, line_width, false, false, item});
}

void Pen::arrow(Point a, Point b, Color color, float line_width, int32_t item) {
  scene.add(LineItem{{a, b}, color, line_width, false, true, item});
}

void Pen::empty_state(const std::string& what, const std::string& why) {
  const float y = canvas.height / 2;
  const float room = canvas.width - px(16);
  text({canvas.width / 2, y - px(12)}, elided(what, room, 1.1F, Face::bold),
       {theme.text, 1.1F, Align::center, Face::bold});
  text({canvas.width / 2, y + px(12)}, elided(why, room), {theme.muted_text, 1, Align::center});
  accessible({0, 0, canvas.width, canvas.height}, -1, what + "; " + why);
}

std::vector<std::string> wrapped_lines(std::string_view text, float text_px, float width,
                                       const MeasureText& measure) {
  const MeasureText& measured = measure ? measure : MeasureText(estimate_text_width);
  std::vector<std::string> lines;
  std::string line;
  for (size_t at = 0; at < text.size();) {
    const size_t start = text.find_first_not_of(' ', at);
    if (start == std::string_view::npos) break;
    at = std::min(text.find(' ', start), text.size());
    const std::string word(text.substr(start, at - start));
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && measured(longer, text_px, Face::sans) > width) {
      lines.push_back(line);
      line = word;
    } else {
      line = longer;
    }
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

Color with_alpha(Color c, double alpha) {
  c.a = static_cast<uint8_t>(std::lround(std::clamp(alpha, 0.0, 1.0) * 255));
  return c;
}

Color mixed(Color a, Color b, double part) {
  const auto mix = [&](uint8_t x, uint8_t y) {
    return static_cast<uint8_t>(std::lround(x + (y - x) * part));
  };
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), mix(a.a, b.a)};
}

std::string device_name(const Mesh& mesh, int32_t device) {
  if (device < 0 || device >= mesh.device_count()) return said("device ") + std::to_string(device);
  return mesh.rank() == 0 ? said("device 0") : mesh.place(DeviceId(device));
}

}  // namespace shardscope::inline views
