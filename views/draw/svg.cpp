// SPDX-License-Identifier: Apache-2.0
// SVG by hand: QSvgGenerator knows no clipping.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/base/xml.h"
#include "views/draw/paint.h"
#include "views/scene/core/pattern.h"

namespace shardscope::inline views {
namespace {

std::string paint_attribute(const char* name, Color c) {
  if (c.a == 0) return fmt::format(" {}=\"none\"", name);
  std::string out = fmt::format(" {}=\"#{:02x}{:02x}{:02x}\"", name, c.r, c.g, c.b);
  if (c.a != 255) out += fmt::format(" {}-opacity=\"{}\"", name, hundredths(c.a / 255.0));
  return out;
}

std::string rect_shape(const Rect& r, double inset, float radius) {
  std::string out = fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", hundredths(r.x + inset),
                                hundredths(r.y + inset), hundredths(std::max(0.0, r.w - 2 * inset)),
                                hundredths(std::max(0.0, r.h - 2 * inset)));
  if (radius > 0) out += fmt::format(" rx=\"{}\"", hundredths(radius));
  return out;
}

void add_rect(const RectItem& item, std::string& out) {
  if (item.fill.a > 0)
    out += rect_shape(item.rect, 0, item.radius) + paint_attribute("fill", item.fill) + "/>\n";
  if (item.pattern != Pattern::none) {
    const PatternMarks marks = pattern_marks(item);
    if (!marks.lines.empty()) {
      out += "<path fill=\"none\"" + paint_attribute("stroke", item.pattern_color) + " d=\"";
      for (const auto& [a, b] : marks.lines)
        out +=
            fmt::format("M{} {}L{} {}", hundredths(a.x), hundredths(a.y), hundredths(b.x), hundredths(b.y));
      out += "\"/>\n";
    }
    if (!marks.dots.empty()) {
      out += "<path stroke-width=\"2\" stroke-linecap=\"round\" fill=\"none\"" +
             paint_attribute("stroke", item.pattern_color) + " d=\"";
      for (const Point& p : marks.dots) out += fmt::format("M{} {}h0", hundredths(p.x), hundredths(p.y));
      out += "\"/>\n";
    }
  }
  if (item.border_width > 0) {
    out +=
        rect_shape(item.rect, std::min<double>(item.border_width / 2, std::min(item.rect.w, item.rect.h) / 2),
                   item.radius) +
        " fill=\"none\"" + paint_attribute("stroke", item.border) +
        fmt::format(" stroke-width=\"{}\"/>\n", hundredths(item.border_width));
  }
}

bool plain(const RectItem& item) {
  return item.radius == 0 && item.pattern == Pattern::none;
}
bool same_paint(const RectItem& a, const RectItem& b) {
  return a.fill == b.fill && a.border == b.border && a.border_width == b.border_width;
}
bool apart(const Rect& a, const Rect& b) {
  return a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
}

// Rectangles of one paint that do not lie on each other: one path for their fills, one for their borders.
struct Sheet {
  std::vector<const RectItem*> rects;
  bool is_apart(const RectItem& from) const {
    return std::ranges::all_of(rects, [&](const RectItem* r) { return apart(r->rect, from.rect); });
  }
};

// Puts it on the sheet of its paint, when nothing that was drawn since lies between the two; else on a new
// one.
void put_on_sheet(const RectItem& item, std::vector<Sheet>& sheets) {
  for (size_t i = sheets.size(); i-- > 0;) {
    const bool free = sheets[i].is_apart(item);
    if (free && same_paint(*sheets[i].rects.front(), item)) {
      sheets[i].rects.push_back(&item);
      return;
    }
    if (!free) break;
  }
  sheets.push_back({{&item}});
}

void add_sheet(const Sheet& sheet, std::string& out) {
  const RectItem& paint = *sheet.rects.front();
  if (sheet.rects.size() == 1) return add_rect(paint, out);
  const auto boxes = [&](float border) {
    std::string path;
    for (const RectItem* item : sheet.rects) {
      const Rect in = item->rect.inset(std::min(border / 2, std::min(item->rect.w, item->rect.h) / 2));
      path += fmt::format("M{} {}h{}v{}h{}z", hundredths(in.x), hundredths(in.y), hundredths(in.w),
                          hundredths(in.h), hundredths(-in.w));
    }
    return path;
  };
  if (paint.fill.a > 0) out += "<path" + paint_attribute("fill", paint.fill) + " d=\"" + boxes(0) + "\"/>\n";
  if (paint.border_width > 0 && paint.border.a > 0)
    out += "<path fill=\"none\"" + paint_attribute("stroke", paint.border) +
           fmt::format(" stroke-width=\"{}\" d=\"{}\"/>\n", hundredths(paint.border_width),
                       boxes(paint.border_width));
}

// The plain rectangles that follow each other from place `first` on; gives the place behind them.
size_t add_rects(const Scene& scene, size_t first, std::string& out) {
  constexpr size_t kMost = 256;
  std::vector<Sheet> sheets;
  size_t end = first;
  for (; end < scene.order().size() && end < first + kMost; ++end) {
    const DrawRef& ref = scene.order()[end];
    if (ref.kind != DrawRef::Kind::rect) break;
    const RectItem& item = scene.rects()[static_cast<size_t>(ref.index)];
    if (!plain(item)) break;
    put_on_sheet(item, sheets);
  }
  for (const Sheet& sheet : sheets) add_sheet(sheet, out);
  return end;
}

void add_line(const LineItem& item, std::string& out) {
  if (item.points.size() < 2) return;
  out += "<polyline fill=\"none\"" + paint_attribute("stroke", item.color) +
         fmt::format(" stroke-width=\"{}\"", hundredths(item.width));
  if (item.dashed)
    out += fmt::format(" stroke-dasharray=\"{} {}\"", hundredths(4 * item.width), hundredths(3 * item.width));
  out += " points=\"";
  for (size_t i = 0; i < item.points.size(); ++i) {
    out += fmt::format("{}{},{}", i ? " " : "", hundredths(item.points[i].x), hundredths(item.points[i].y));
  }
  out += "\"/>\n";
  if (!item.arrow) return;
  const Point tip = item.points.back();
  const Point from = item.points[item.points.size() - 2];
  const double length = std::hypot(tip.x - from.x, tip.y - from.y);
  if (length <= 0) return;
  const double ax = (tip.x - from.x) / length;
  const double ay = (tip.y - from.y) / length;
  const double size = 4 + 2.0 * item.width;
  out += "<polygon" + paint_attribute("fill", item.color) +
         fmt::format(
             " points=\"{},{} {},{} {},{}\"/>\n", hundredths(tip.x), hundredths(tip.y),
             hundredths(tip.x - ax * size - ay * size / 2), hundredths(tip.y - ay * size + ax * size / 2),
             hundredths(tip.x - ax * size + ay * size / 2), hundredths(tip.y - ay * size - ax * size / 2));
}

void add_circle(const CircleItem& item, std::string& out) {
  out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"", hundredths(item.center.x),
                     hundredths(item.center.y), hundredths(item.radius)) +
         paint_attribute("fill", item.fill);
  if (item.border_width > 0)
    out += paint_attribute("stroke", item.border) +
           fmt::format(" stroke-width=\"{}\"", hundredths(item.border_width));
  out += "/>\n";
}

void add_text(const TextItem& item, std::string& out) {
  static constexpr const char* kAnchor[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  const bool blanks =
      item.text.starts_with(' ') || item.text.ends_with(' ') || item.text.find("  ") != std::string::npos;
  // 0.73 em is DejaVu's height of capitals; half of it puts the middle of the digits on `at.y`.
  out += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{}{}{}", hundredths(item.at.x),
                     hundredths(item.at.y + 0.365 * item.px), hundredths(item.px),
                     kAnchor[static_cast<int>(item.align)], is_bold(item.face) ? " font-weight=\"bold\"" : "",
                     is_mono(item.face) ? " font-family=\"DejaVu Sans Mono, monospace\"" : "") +
         paint_attribute("fill", item.color) + (blanks ? " xml:space=\"preserve\">" : ">") +
         xml_escaped(item.text) + "</text>\n";
}

using AddText = void (*)(const TextItem& item, std::string& out);

// Its letters as shapes: the picture needs no font.
void add_outline(const TextItem& item, std::string& out) {
  const std::optional<std::string> shape = text_outline(item);
  if (!shape) return add_text(item, out);
  out += "<path" + paint_attribute("fill", item.color) + " d=\"" + *shape + "\"/>\n";
}

// `prefix`: of the clips' ids.
void add_items(const Scene& scene, const std::string& prefix, std::string& out, AddText text) {
  int depth = 0;
  for (size_t place = 0; place < scene.order().size(); ++place) {
    if (const size_t end = add_rects(scene, place, out); end > place) {
      place = end - 1;
      continue;
    }
    const DrawRef& ref = scene.order()[place];
    const auto i = static_cast<size_t>(ref.index);
    switch (ref.kind) {
      case DrawRef::Kind::rect:
        add_rect(scene.rects()[i], out);
        break;
      case DrawRef::Kind::line:
        add_line(scene.lines()[i], out);
        break;
      case DrawRef::Kind::circle:
        add_circle(scene.circles()[i], out);
        break;
      case DrawRef::Kind::text:
        text(scene.texts()[i], out);
        break;
      case DrawRef::Kind::clip:
        if (scene.clips()[i].rect.w >= 0) {
          out += fmt::format("<g clip-path=\"url(#{}-{})\">\n", prefix, i);
          ++depth;
        } else if (depth > 0) {
          out += "</g>\n";
          --depth;
        }
        break;
    }
  }
  for (; depth > 0; --depth) out += "</g>\n";
}

}  // namespace

// `width` and `height`: with their units, of the picture as it stands on its page.
static std::string svg_of(const Scene& scene, const std::string& title, const std::string& width,
                          const std::string& height, AddText text) {
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" "
      "font-family=\"DejaVu Sans, "
      "Verdana, sans-serif\" role=\"img\">\n",
      hundredths(scene.width), hundredths(scene.height), width, height);
  if (!title.empty()) out += "<title>" + xml_escaped(title) + "</title>\n";
  // Ids carry the size and a hash of the contents: several pictures may stand in one HTML page.
  size_t hash = std::hash<std::string>()(scene.text());
  const std::string prefix = fmt::format("c{:x}", hash & 0xFFFFFFFFU);
  if (!scene.clips().empty()) {
    out += "<defs>\n";
    for (size_t i = 0; i < scene.clips().size(); ++i) {
      const Rect& r = scene.clips()[i].rect;
      if (r.w >= 0)
        out += fmt::format("<clipPath id=\"{}-{}\">", prefix, i) + rect_shape(r, 0, 0) + "/></clipPath>\n";
    }
    out += "</defs>\n";
  }
  out += rect_shape({0, 0, scene.width, scene.height}, 0, 0) + paint_attribute("fill", scene.background) +
         "/>\n";
  add_items(scene, prefix, out, text);
  return out + "</svg>\n";
}

std::string to_svg(const Scene& scene, const std::string& title) {
  return svg_of(scene, title, hundredths(scene.width), hundredths(scene.height), add_text);
}

std::string to_paper_svg(const Scene& scene, double width_mm, const std::string& title) {
  const double per_px = scene.width > 0 ? width_mm / scene.width : 0;
  return svg_of(scene, title, hundredths(width_mm) + "mm", hundredths(scene.height * per_px) + "mm",
                add_outline);
}

}  // namespace shardscope::inline views
