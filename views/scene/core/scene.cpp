// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/scene.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardscope::inline views {
namespace {

Rect intersection(const Rect& a, const Rect& b) {
  const float x = std::max(a.x, b.x);
  const float y = std::max(a.y, b.y);
  return {x, y, std::max(0.0F, std::min(a.right(), b.right()) - x),
          std::max(0.0F, std::min(a.bottom(), b.bottom()) - y)};
}

float distance(Point p, Point a, Point b) {
  const float dx = b.x - a.x;
  const float dy = b.y - a.y;
  const float length2 = dx * dx + dy * dy;
  const float t =
      length2 > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length2, 0.0F, 1.0F) : 0.0F;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

bool on_line(const LineItem& line, Point p, float slack) {
  for (size_t i = 1; i < line.points.size(); ++i) {
    if (distance(p, line.points[i - 1], line.points[i]) <= slack + line.width / 2) return true;
  }
  return false;
}

// The innermost clip while walking the drawing order.
class ClipStack {
 public:
  void step(const ClipItem& clip) {
    if (clip.rect.w < 0) {
      if (!stack_.empty()) stack_.pop_back();
    } else {
      stack_.push_back(stack_.empty() ? clip.rect : intersection(stack_.back(), clip.rect));
    }
  }
  bool shows(Point p) const { return stack_.empty() || stack_.back().contains(p); }

 private:
  std::vector<Rect> stack_;
};

std::string number(float v) {
  std::string text = fmt::format("{:.1f}", v);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string rect_text(const Rect& r) {
  return fmt::format("{},{} {}x{}", number(r.x), number(r.y), number(r.w), number(r.h));
}

std::string color_text(Color c) {
  return c.a == 255 ? fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b)
                    : fmt::format("#{:02x}{:02x}{:02x}{:02x}", c.r, c.g, c.b, c.a);
}

const char* pattern_name(Pattern pattern) {
  static constexpr const char* kNames[] = {"none", "stripes", "dots", "cross", "zigzag", "bars"};
  return kNames[static_cast<int>(pattern)];
}

std::string id_text(const std::vector<ItemId>& ids, int32_t place) {
  if (place < 0) return "";
  static constexpr const char* kNames[] = {"none",   "event", "event-group", "device",
                                           "block",  "link",  "step",        "instruction",
                                           "buffer", "chunk", "handle",      "candidate"};
  const ItemId& id = ids[static_cast<size_t>(place)];
  std::string text = fmt::format(" [{}", kNames[static_cast<int>(id.kind)]);
  const std::pair<const char*, int32_t> fields[] = {{"device", id.device},
                                                    {"instruction", id.instruction},
                                                    {"event", id.event},
                                                    {"lane", id.lane},
                                                    {"index", id.index}};
  for (const auto& [name, value] : fields) {
    if (value != -1) text += fmt::format(" {}={}", name, value);
  }
  return text + "]";
}

}  // namespace

void Scene::add(RectItem item) {
  order_.push_back({DrawRef::Kind::rect, static_cast<int32_t>(rects_.size())});
  rects_.push_back(item);
}

void Scene::add(LineItem item) {
  order_.push_back({DrawRef::Kind::line, static_cast<int32_t>(lines_.size())});
  lines_.push_back(std::move(item));
}

void Scene::add(CircleItem item) {
  order_.push_back({DrawRef::Kind::circle, static_cast<int32_t>(circles_.size())});
  circles_.push_back(item);
}

void Scene::add(TextItem item) {
  order_.push_back({DrawRef::Kind::text, static_cast<int32_t>(texts_.size())});
  texts_.push_back(std::move(item));
}

void Scene::rewrite(const std::function<std::string(const std::string&)>& read) {
  for (TextItem& item : texts_) item.text = read(item.text);
  for (AccessibleItem& item : accessible_) item.name = read(item.name);
}

void Scene::push_clip(Rect rect) {
  rect.w = std::max(0.0F, rect.w);
  rect.h = std::max(0.0F, rect.h);
  order_.push_back({DrawRef::Kind::clip, static_cast<int32_t>(clips_.size())});
  clips_.push_back({rect});
  open_clips_.push_back(open_clips_.empty() ? rect : intersection(open_clips_.back(), rect));
}

void Scene::pop_clip() {
  order_.push_back({DrawRef::Kind::clip, static_cast<int32_t>(clips_.size())});
  clips_.push_back({Rect{0, 0, -1, 0}});
  if (!open_clips_.empty()) open_clips_.pop_back();
}

bool Scene::shows(const Rect& rect) const {
  const Rect seen = intersection(open_clips_.empty() ? Rect{0, 0, width, height} : open_clips_.back(), rect);
  return seen.w >= 1 && seen.h >= 1;
}

int32_t Scene::add_id(ItemId id) {
  if (ids_.empty() || ids_.back() != id) ids_.push_back(id);
  return static_cast<int32_t>(ids_.size()) - 1;
}

void Scene::add_accessible(AccessibleItem item) {
  accessible_.push_back(std::move(item));
}

std::optional<ItemId> Scene::hit(Point p, float slack) const {
  ClipStack clip;
  int32_t exact = -1;
  int32_t near = -1;
  for (const DrawRef& ref : order_) {
    const auto i = static_cast<size_t>(ref.index);
    if (ref.kind == DrawRef::Kind::clip) {
      clip.step(clips_[i]);
      continue;
    }
    if (ref.kind == DrawRef::Kind::text || !clip.shows(p)) continue;
    if (ref.kind == DrawRef::Kind::rect && rects_[i].id >= 0) {
      if (rects_[i].rect.contains(p))
        exact = rects_[i].id;
      else if (rects_[i].rect.inset(-slack).contains(p))
        near = rects_[i].id;
    } else if (ref.kind == DrawRef::Kind::circle && circles_[i].id >= 0) {
      const float away = std::hypot(p.x - circles_[i].center.x, p.y - circles_[i].center.y);
      if (away <= circles_[i].radius)
        exact = circles_[i].id;
      else if (away <= circles_[i].radius + slack)
        near = circles_[i].id;
    } else if (ref.kind == DrawRef::Kind::line && lines_[i].id >= 0 && on_line(lines_[i], p, slack)) {
      exact = lines_[i].id;
    }
  }
  const int32_t found = exact >= 0 ? exact : near;
  if (found < 0) return std::nullopt;
  return ids_[static_cast<size_t>(found)];
}

std::string Scene::text() const {
  std::string out = fmt::format("scene {}x{} {}\n", number(width), number(height), color_text(background));
  for (const DrawRef& ref : order_) {
    const auto i = static_cast<size_t>(ref.index);
    switch (ref.kind) {
      case DrawRef::Kind::rect: {
        const RectItem& r = rects_[i];
        out += fmt::format("rect {} {}", rect_text(r.rect), color_text(r.fill));
        if (r.border_width > 0)
          out += fmt::format(" border {} {}", number(r.border_width), color_text(r.border));
        if (r.pattern != Pattern::none)
          out += fmt::format(" {} {}", pattern_name(r.pattern), color_text(r.pattern_color));
        out += id_text(ids_, r.id);
        break;
      }
      case DrawRef::Kind::line: {
        const LineItem& l = lines_[i];
        out += "line";
        for (const Point& p : l.points) out += fmt::format(" {},{}", number(p.x), number(p.y));
        out += fmt::format(" {} {}{}{}", color_text(l.color), number(l.width), l.dashed ? " dashed" : "",
                           l.arrow ? " arrow" : "");
        out += id_text(ids_, l.id);
        break;
      }
      case DrawRef::Kind::circle: {
        const CircleItem& c = circles_[i];
        out += fmt::format("circle {},{} r {} {}", number(c.center.x), number(c.center.y), number(c.radius),
                           color_text(c.fill));
        if (c.border_width > 0)
          out += fmt::format(" border {} {}", number(c.border_width), color_text(c.border));
        out += id_text(ids_, c.id);
        break;
      }
      case DrawRef::Kind::text: {
        const TextItem& t = texts_[i];
        static constexpr const char* kAlign[] = {"left", "center", "right"};
        out += fmt::format("text {},{} {} {} {}{}{} \"{}\"", number(t.at.x), number(t.at.y),
                           kAlign[static_cast<int>(t.align)], number(t.px), color_text(t.color),
                           is_bold(t.face) ? " bold" : "", is_mono(t.face) ? " mono" : "", t.text);
        break;
      }
      case DrawRef::Kind::clip:
        out += clips_[i].rect.w < 0 ? "unclip" : "clip " + rect_text(clips_[i].rect);
        break;
    }
    out += '\n';
  }
  for (const AccessibleItem& a : accessible_)
    out += fmt::format("accessible {}{} \"{}\"\n", rect_text(a.rect), id_text(ids_, a.id), a.name);
  return out;
}

}  // namespace shardscope::inline views
