// SPDX-License-Identifier: Apache-2.0
#include "tests/pages/drawn.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "views/scene/core/pattern.h"

namespace shardscope::pages_test {
namespace {

constexpr double kPixels = 0.011;  // coordinates are written to a hundredth

Json color(Color c) {
  if (c.a == 0) return "none";
  return c.a == 255 ? fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b)
                    : fmt::format("#{:02x}{:02x}{:02x}{:02x}", c.r, c.g, c.b, c.a);
}

Json box(const Rect& r, double in, double radius) {
  Json out = {{"tag", "rect"},
              {"x", r.x + in},
              {"y", r.y + in},
              {"width", std::max(0.0, r.w - 2 * in)},
              {"height", std::max(0.0, r.h - 2 * in)}};
  if (radius > 0) out["rx"] = radius;
  return out;
}

Json parts_of(const RectItem& item) {
  Json ground = box(item.rect, 0, item.radius);
  ground["fill"] = color(item.fill);
  Json parts = {ground};
  const PatternMarks marks =
      item.pattern == Pattern::none || item.pattern_color.a == 0 ? PatternMarks() : pattern_marks(item);
  Json numbers = Json::array();
  for (const auto& [a, b] : marks.lines)
    for (const float v : {a.x, a.y, b.x, b.y}) numbers.push_back(v);
  if (marks.lines.empty())
    for (const Point& p : marks.dots)
      for (const float v : {p.x, p.y, 0.0F}) numbers.push_back(v);
  if (!numbers.empty()) {
    Json path = {{"tag", "path"}, {"fill", "none"}, {"stroke", color(item.pattern_color)}, {"d", numbers}};
    if (marks.lines.empty()) path["stroke-width"] = 2, path["stroke-linecap"] = "round";
    parts.push_back(path);
  }
  if (item.border_width > 0 && item.border.a > 0) {
    Json edge =
        box(item.rect, std::min<double>(item.border_width / 2, std::min(item.rect.w, item.rect.h) / 2),
            item.radius);
    edge["fill"] = "none";
    edge["stroke"] = color(item.border);
    edge["stroke-width"] = item.border_width;
    parts.push_back(edge);
  }
  return parts;
}

Json parts_of(const LineItem& item) {
  Json points = Json::array();
  for (const Point& p : item.points) points.push_back(p.x), points.push_back(p.y);
  Json line = {{"tag", "polyline"},
               {"points", points},
               {"fill", "none"},
               {"stroke", color(item.color)},
               {"stroke-width", item.width}};
  if (item.dashed) line["stroke-dasharray"] = {4 * item.width, 3 * item.width};
  Json parts = {line};
  if (!item.arrow || item.points.size() < 2) return parts;
  const Point tip = item.points.back(), from = item.points[item.points.size() - 2];
  const double length = std::hypot(tip.x - from.x, tip.y - from.y);
  if (length <= 0) return parts;
  const double ax = (tip.x - from.x) / length, ay = (tip.y - from.y) / length, size = 4 + 2.0 * item.width;
  parts.push_back({{"tag", "polygon"},
                   {"fill", color(item.color)},
                   {"points",
                    {tip.x, tip.y, tip.x - ax * size - ay * size / 2, tip.y - ay * size + ax * size / 2,
                     tip.x - ax * size + ay * size / 2, tip.y - ay * size - ax * size / 2}}});
  return parts;
}

Json parts_of(const CircleItem& item) {
  Json circle = {{"tag", "circle"},
                 {"cx", item.center.x},
                 {"cy", item.center.y},
                 {"r", item.radius},
                 {"fill", color(item.fill)}};
  if (item.border_width > 0 && item.border.a > 0) {
    circle["stroke"] = color(item.border);
    circle["stroke-width"] = item.border_width;
  }
  return {circle};
}

Json parts_of(const TextItem& item) {
  static constexpr const char* kAnchors[] = {"start", "middle", "end"};
  Json text = {{"tag", "text"},
               {"x", item.at.x},
               {"y", item.at.y + 0.365 * item.px},
               {"font-size", item.px},
               {"text-anchor", kAnchors[static_cast<int>(item.align)]},
               {"fill", color(item.color)},
               {"text", item.text}};
  if (is_mono(item.face)) text["font-family"] = "DejaVu Sans Mono, monospace";
  if (is_bold(item.face)) text["font-weight"] = "bold";
  return {text};
}

Json item_of(const Scene& scene, const DrawRef& ref, int& depth) {
  const auto i = static_cast<size_t>(ref.index);
  switch (ref.kind) {
    case DrawRef::Kind::rect:
      return {{"depth", depth}, {"parts", parts_of(scene.rects()[i])}};
    case DrawRef::Kind::line:
      return {{"depth", depth}, {"parts", parts_of(scene.lines()[i])}};
    case DrawRef::Kind::circle:
      return {{"depth", depth}, {"parts", parts_of(scene.circles()[i])}};
    case DrawRef::Kind::text:
      return {{"depth", depth}, {"parts", parts_of(scene.texts()[i])}};
    case DrawRef::Kind::clip:
      break;
  }
  const Rect& clip = scene.clips()[i].rect;
  if (clip.w < 0) {
    depth = std::max(0, depth - 1);
    return nullptr;
  }
  return {{"depth", depth++}, {"parts", {box(clip, 0, 0)}}};
}

// Walks the elements that the page really has; nothing of the player is asked.
const std::string kReader = R"js(((view, kind) => {
  const svg = document.querySelector(`.film[data-view="${view}"] svg`);
  if (kind === "names") return [...svg.querySelectorAll("[role=listitem]")].map(e => e.getAttribute("aria-label"));
  const lists = new Set(["d", "points", "stroke-dasharray"]);
  const words = new Set(["fill", "stroke", "font-family", "font-weight", "text-anchor", "stroke-linecap"]);
  const left = new Set(["class", "pointer-events", "data-item", "data-id"]);
  const numbers = text => (text.match(/-?[\d.]+/g) || []).map(Number);
  const part = e => {
    const out = {tag: e.tagName};
    for (const a of e.attributes) {
      if (left.has(a.name)) continue;
      out[a.name] = words.has(a.name) ? a.value : lists.has(a.name) ? numbers(a.value) : Number(a.value);
    }
    if (e.tagName === "text") out.text = e.textContent;
    return out;
  };
  const depth = e => { let n = 0; for (let p = e.parentNode; p !== svg; p = p.parentNode) if (p.dataset.clip) ++n; return n; };
  return [...svg.querySelectorAll("[data-item], [data-clip]")].map(e => {
    if (e.dataset.clip) {
      const clip = document.getElementById(e.getAttribute("clip-path").slice(5, -1));
      return {depth: depth(e), parts: [part(clip.firstChild)]};
    }
    return {depth: depth(e), parts: e.tagName === "g" ? [...e.children].map(part) : [part(e)]};
  });
}))js";

bool same(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return std::abs(a.get<double>() - b.get<double>()) <= kPixels;
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.is_array()) return std::equal(a.begin(), a.end(), b.begin(), same);
  if (!a.is_object()) return a == b;
  return std::all_of(a.items().begin(), a.items().end(), [&](const auto& field) {
    return b.contains(field.key()) && same(field.value(), b[field.key()]);
  });
}

}  // namespace

Json shapes_of(const Scene& scene) {
  Json out = Json::array();
  int depth = 0;
  for (const DrawRef& ref : scene.order())
    if (const Json item = item_of(scene, ref, depth); !item.is_null()) out.push_back(item);
  return out;
}

Json drawn_shapes(Page& page, const std::string& view) {
  return page.value(kReader + "('" + view + "', 'shapes')");
}

Json drawn_names(Page& page, const std::string& view) {
  return page.value(kReader + "('" + view + "', 'names')");
}

std::string difference(const Json& scene, const Json& drawn) {
  for (size_t i = 0; i < std::min(scene.size(), drawn.size()); ++i)
    if (!same(scene[i], drawn[i]))
      return fmt::format("item {}: {} is drawn as {}", i, scene[i].dump(), drawn[i].dump());
  if (scene.size() != drawn.size()) return fmt::format("{} items, {} are drawn", scene.size(), drawn.size());
  return "";
}

}  // namespace shardscope::pages_test
