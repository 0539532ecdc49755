// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/crop.h"

#include <algorithm>
#include <cmath>

namespace shardscope::inline views {
namespace {

bool meet(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

Rect moved(const Rect& r, float dx, float dy) {
  return {r.x + dx, r.y + dy, r.w, r.h};
}

// Of a text only the height is known here: one that may reach into a part is kept, and clipped there.
bool text_in(const TextItem& text, const Rect& part) {
  return text.at.y + text.px > part.y && text.at.y - text.px < part.bottom();
}

Rect box_of(const LineItem& line) {
  Rect out{line.points.front().x, line.points.front().y, 0, 0};
  for (const Point& p : line.points) {
    const float right = std::max(out.right(), p.x), bottom = std::max(out.bottom(), p.y);
    out.x = std::min(out.x, p.x), out.y = std::min(out.y, p.y);
    out.w = right - out.x, out.h = bottom - out.y;
  }
  return out.inset(-std::max(1.0F, line.width));
}

// Puts the items of a scene into another one, moved.
class Mover {
 public:
  Mover(const Scene& from, Scene& to, float dx, float dy) : from_(from), to_(to), dx_(dx), dy_(dy) {}

  void move(const Rect& part) {
    for (const DrawRef& ref : from_.order()) {
      const auto i = static_cast<size_t>(ref.index);
      if (ref.kind == DrawRef::Kind::clip ? !clip(from_.clips()[i], part) : hidden_ > 0) continue;
      switch (ref.kind) {
        case DrawRef::Kind::rect:
          rect(from_.rects()[i], part);
          break;
        case DrawRef::Kind::line:
          line(from_.lines()[i], part);
          break;
        case DrawRef::Kind::circle:
          circle(from_.circles()[i], part);
          break;
        case DrawRef::Kind::text:
          text(from_.texts()[i], part);
          break;
        case DrawRef::Kind::clip:
          break;
      }
    }
    for (const AccessibleItem& item : from_.accessible())
      if (meet(item.rect, part)) to_.add_accessible({moved(item.rect, dx_, dy_), id(item.id), item.name});
  }

 private:
  int32_t id(int32_t place) { return place < 0 ? -1 : to_.add_id(from_.ids()[static_cast<size_t>(place)]); }
  void rect(RectItem item, const Rect& part) {
    if (!meet(item.rect, part)) return;
    item.rect = moved(item.rect, dx_, dy_);
    item.id = id(item.id);
    to_.add(item);
  }
  void line(LineItem item, const Rect& part) {
    if (item.points.empty() || !meet(box_of(item), part)) return;
    for (Point& p : item.points) p.x += dx_, p.y += dy_;
    item.id = id(item.id);
    to_.add(std::move(item));
  }
  void circle(CircleItem item, const Rect& part) {
    const float r = item.radius + item.border_width;
    if (!meet({item.center.x - r, item.center.y - r, 2 * r, 2 * r}, part)) return;
    item.center.x += dx_, item.center.y += dy_;
    item.id = id(item.id);
    to_.add(item);
  }
  void text(TextItem item, const Rect& part) {
    if (!text_in(item, part)) return;
    item.at.x += dx_, item.at.y += dy_;
    to_.add(std::move(item));
  }
  // What is clipped to a place outside the part is left out with its clip. False: there is nothing to draw.
  bool clip(const ClipItem& item, const Rect& part) {
    const bool ends = item.rect.w < 0;
    if (hidden_ > 0 || (!ends && !meet(item.rect, part))) {
      hidden_ += ends ? -1 : 1;
    } else if (ends) {
      to_.pop_clip();
    } else {
      to_.push_clip(moved(item.rect, dx_, dy_));
    }
    return false;
  }

  const Scene& from_;
  Scene& to_;
  float dx_, dy_;
  int hidden_ = 0;  // clips that are left out, one in the other
};

// The smallest box around boxes.
struct Around {
  float left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
  void add(const Rect& box) {
    left = std::min(left, box.x), top = std::min(top, box.y);
    right = std::max(right, box.right()), bottom = std::max(bottom, box.bottom());
  }
  Rect box(const Scene& scene) const {
    const float x = std::max(0.0F, left), y = std::max(0.0F, top);
    const float end = std::min(scene.width, right), low = std::min(scene.height, bottom);
    return end > x && low > y ? Rect{x, y, end - x, low - y} : Rect{};
  }
};

}  // namespace

Scene part_of(const Scene& scene, const Rect& part) {
  Scene out;
  out.width = part.w, out.height = part.h;
  out.background = scene.background;
  out.push_clip({0, 0, part.w, part.h});
  Mover(scene, out, -part.x, -part.y).move(part);
  out.pop_clip();
  return out;
}

Scene stacked(const std::vector<Scene>& scenes) {
  Scene out;
  if (scenes.empty()) return out;
  out.background = scenes.front().background;
  for (const Scene& scene : scenes) {
    Mover(scene, out, 0, out.height).move({0, 0, scene.width, scene.height});
    out.width = std::max(out.width, scene.width);
    out.height += scene.height;
  }
  return out;
}

Scene beside_each_other(const std::vector<Scene>& scenes) {
  Scene out;
  if (scenes.empty()) return out;
  out.background = scenes.front().background;
  for (const Scene& scene : scenes) {
    Mover(scene, out, out.width, 0).move({0, 0, scene.width, scene.height});
    out.width += scene.width;
    out.height = std::max(out.height, scene.height);
  }
  return out;
}

Rect content_of(const Scene& scene, const MeasureText& measure) {
  Around around;
  const auto seen = [&](Color c) { return c.a > 2 && c != scene.background; };
  for (const RectItem& item : scene.rects())
    if (seen(item.fill) || item.pattern != Pattern::none || (item.border_width > 0 && seen(item.border)))
      around.add(item.rect);
  for (const LineItem& item : scene.lines())
    if (!item.points.empty() && seen(item.color)) around.add(box_of(item));
  for (const CircleItem& item : scene.circles()) {
    const float r = item.radius + item.border_width;
    around.add({item.center.x - r, item.center.y - r, 2 * r, 2 * r});
  }
  for (const TextItem& item : scene.texts()) {
    const float width = measure(item.text, item.px, item.face);
    const float left = item.align == Align::left     ? item.at.x
                       : item.align == Align::center ? item.at.x - width / 2
                                                     : item.at.x - width;
    around.add({left, item.at.y - item.px * 0.6F, width, item.px * 1.2F});
  }
  return around.box(scene);
}

}  // namespace shardscope::inline views
