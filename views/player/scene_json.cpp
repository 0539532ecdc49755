// SPDX-License-Identifier: Apache-2.0
#include "views/player/scene_json.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "views/scene/core/pattern.h"

namespace shardscope::inline views {
namespace {

// "[a,b,…]" without the zeros at its end.
std::string row(std::initializer_list<std::string> fields) {
  std::vector<std::string> all(fields);
  while (all.size() > 1 && all.back() == "0") all.pop_back();
  return "[" + join(all, ",") + "]";
}

std::string hex(Color c) {
  return c.a == 255 ? fmt::format("\"#{:02x}{:02x}{:02x}\"", c.r, c.g, c.b)
                    : fmt::format("\"#{:02x}{:02x}{:02x}{:02x}\"", c.r, c.g, c.b, c.a);
}

// The marks of a pattern; empty: it has none.
std::string marks_of(const RectItem& item) {
  if (item.pattern == Pattern::none || item.pattern_color.a == 0) return "";
  const PatternMarks marks = pattern_marks(item);
  std::string out;
  for (const auto& [a, b] : marks.lines)
    out += fmt::format("M{} {}L{} {}", hundredths(a.x), hundredths(a.y), hundredths(b.x), hundredths(b.y));
  if (!out.empty() || marks.dots.empty()) return out;
  for (const Point& p : marks.dots)
    out += fmt::format("{}{} {}", out.empty() ? "D" : " ", hundredths(p.x), hundredths(p.y));
  return out;
}

// `item` of a scene in the colours of another.
RectItem painted(RectItem item, const RectItem& as) {
  item.fill = as.fill, item.border = as.border, item.pattern_color = as.pattern_color;
  return item;
}
LineItem painted(LineItem item, const LineItem& as) {
  item.color = as.color;
  return item;
}
CircleItem painted(CircleItem item, const CircleItem& as) {
  item.fill = as.fill, item.border = as.border;
  return item;
}
TextItem painted(TextItem item, const TextItem& as) {
  item.color = as.color;
  return item;
}

template <class Item>
bool same_list(const std::vector<Item>& a, const std::vector<Item>& b) {
  return std::ranges::equal(a, b, [](const Item& x, const Item& y) { return painted(x, y) == y; });
}

}  // namespace

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool same_but_colors(const Scene& light, const Scene& dark) {
  return light.width == dark.width && light.height == dark.height && light.order() == dark.order() &&
         light.ids() == dark.ids() && light.clips() == dark.clips() &&
         light.accessible() == dark.accessible() && same_list(light.rects(), dark.rects()) &&
         same_list(light.lines(), dark.lines()) && same_list(light.circles(), dark.circles()) &&
         same_list(light.texts(), dark.texts());
}

int32_t SceneTables::Table::place(const std::string& row) {
  const auto [at, is_new] = places.try_emplace(row, static_cast<int32_t>(rows.size()));
  if (is_new) rows.push_back(row);
  return at->second;
}

std::string SceneTables::Table::text() const {
  return "[" + join(rows, ",") + "]";
}

int32_t SceneTables::string(const std::string& text) {
  return strings_.place(json_string(text));
}

int32_t SceneTables::color(Color light, Color dark) {
  if (light.a == 0 && dark.a == 0) return -1;
  return colors_.place(light == dark ? hex(light) : "[" + hex(light) + "," + hex(dark) + "]");
}

int32_t SceneTables::id(const ItemId& item) {
  std::vector<int64_t> fields = {
      static_cast<int64_t>(item.kind), item.device, item.instruction, item.event, item.lane, item.index};
  while (fields.size() > 1 && fields.back() == -1) fields.pop_back();
  return ids_.place("[" + join(fields, ",") + "]");
}

int32_t SceneTables::id(const Scene& scene, int32_t place) {
  return place < 0 ? -1 : id(scene.ids()[static_cast<size_t>(place)]);
}

int32_t SceneTables::item(const RectItem& r, const RectItem& dark, const Scene& scene) {
  const std::string marks = marks_of(r);
  const int32_t fill = color(r.fill, dark.fill), which = id(scene, r.id);
  const std::string place = fmt::format("0,{},{},{},{}", hundredths(r.rect.x), hundredths(r.rect.y),
                                        hundredths(r.rect.w), hundredths(r.rect.h));
  const bool border = r.border_width > 0 && (r.border.a > 0 || dark.border.a > 0);
  if (!border && r.radius == 0 && marks.empty())
    return items_.place(fmt::format("[{},{},{}]", place, fill, which));
  return items_.place(
      row({place, hundredths(fill), hundredths(which), hundredths(border ? color(r.border, dark.border) : -1),
           hundredths(border ? r.border_width : 0), hundredths(r.radius),
           marks.empty() ? "0" : hundredths(string(marks)),
           marks.empty() ? "0" : hundredths(color(r.pattern_color, dark.pattern_color))}));
}

int32_t SceneTables::item(const LineItem& l, const LineItem& dark, const Scene& scene) {
  std::vector<std::string> points;
  for (const Point& p : l.points) points.push_back(hundredths(p.x) + "," + hundredths(p.y));
  return items_.place(fmt::format("[1,[{}],{},{},{},{}]", join(points, ","), color(l.color, dark.color),
                                  hundredths(l.width), (l.dashed ? 1 : 0) + (l.arrow ? 2 : 0),
                                  id(scene, l.id)));
}

int32_t SceneTables::item(const CircleItem& c, const CircleItem& dark, const Scene& scene) {
  const bool border = c.border_width > 0;
  return items_.place(
      row({"2", hundredths(c.center.x), hundredths(c.center.y), hundredths(c.radius),
           hundredths(color(c.fill, dark.fill)), hundredths(id(scene, c.id)),
           hundredths(border ? color(c.border, dark.border) : -1), hundredths(border ? c.border_width : 0)}));
}

int32_t SceneTables::item(const TextItem& t, const TextItem& dark) {
  return items_.place(
      row({"3", hundredths(t.at.x), hundredths(t.at.y), hundredths(string(t.text)),
           hundredths(color(t.color, dark.color)), hundredths(t.px),
           hundredths(static_cast<int32_t>(t.align)), hundredths(static_cast<int32_t>(t.face))}));
}

int32_t SceneTables::item(const ClipItem& c) {
  if (c.rect.w < 0) return items_.place("[4]");
  return items_.place(fmt::format("[4,{},{},{},{}]", hundredths(c.rect.x), hundredths(c.rect.y),
                                  hundredths(c.rect.w), hundredths(c.rect.h)));
}

int32_t SceneTables::item(const AccessibleItem& a, const Scene& scene) {
  return items_.place(fmt::format("[5,{},{},{},{},{},{}]", hundredths(a.rect.x), hundredths(a.rect.y),
                                  hundredths(a.rect.w), hundredths(a.rect.h), string(a.name),
                                  id(scene, a.id)));
}

std::string SceneTables::picture(const PlayedPicture& picture) {
  const Scene& light = picture.light;
  const Scene& dark = same_but_colors(light, picture.dark) ? picture.dark : light;
  std::vector<int64_t> places;
  for (const DrawRef& ref : light.order()) {
    const auto i = static_cast<size_t>(ref.index);
    switch (ref.kind) {
      case DrawRef::Kind::rect:
        places.push_back(item(light.rects()[i], dark.rects()[i], light));
        break;
      case DrawRef::Kind::line:
        places.push_back(item(light.lines()[i], dark.lines()[i], light));
        break;
      case DrawRef::Kind::circle:
        places.push_back(item(light.circles()[i], dark.circles()[i], light));
        break;
      case DrawRef::Kind::text:
        places.push_back(item(light.texts()[i], dark.texts()[i]));
        break;
      case DrawRef::Kind::clip:
        places.push_back(item(light.clips()[i]));
        break;
    }
  }
  for (const AccessibleItem& a : light.accessible()) places.push_back(item(a, light));
  std::vector<int64_t> out;  // places that follow each other as their number and the first
  for (size_t i = 0; i < places.size();) {
    size_t end = i + 1;
    while (end < places.size() && places[end] == places[end - 1] + 1) ++end;
    if (end - i < 3) end = i + 1;
    if (end - i >= 3) out.push_back(-static_cast<int64_t>(end - i));
    out.push_back(places[i]);
    i = end;
  }
  return "[" + join(out, ",") + "]";
}

std::string SceneTables::tips(const PlayedPicture& picture, std::unordered_map<int32_t, int32_t>& before) {
  std::vector<int64_t> out;
  for (const PlayedTip& tip : picture.tips) {
    std::vector<int64_t> lines;
    for (const std::string& line : tip.lines) lines.push_back(string(line));
    const int32_t item = id(tip.item);
    const int32_t words = tips_.place("[" + join(lines, ",") + "]");
    const auto known = before.find(item);
    if (known != before.end() && known->second == words) continue;
    before[item] = words;
    out.push_back(item);
    out.push_back(words);
  }
  return "[" + join(out, ",") + "]";
}

std::string SceneTables::members() const {
  return fmt::format("\"strings\":{},\"colors\":{},\"ids\":{},\"tips\":{},\"items\":{}", strings_.text(),
                     colors_.text(), ids_.text(), tips_.text(), items_.text());
}

}  // namespace shardscope::inline views
