// SPDX-License-Identifier: Apache-2.0
// A picture as plain values: what a view's layout gives and what the painters draw (ImGui on screen, QPainter
// into PNG, SVG and PDF). Items carry ids, so hit testing, selection and the accessible tree need no view.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "views/scene/core/geometry.h"

namespace shardscope::inline views {

// What an item stands for; fields that do not apply are -1.
struct ItemId {
  enum class Kind : uint8_t {
    none,
    event,
    event_group,
    device,
    block,
    link,
    step,
    instruction,
    buffer,
    chunk,
    handle,
    candidate
  };
  Kind kind = Kind::none;
  int32_t device = -1;
  int32_t instruction = -1;  // global index
  int32_t event = -1;
  int32_t lane = -1;
  int32_t index = -1;  // block, link, step, chunk or candidate number; which array of a block is in `lane`
  bool operator==(const ItemId&) const = default;
};

enum class Pattern : uint8_t { none, stripes, dots, cross, zigzag, bars };

struct RectItem {
  Rect rect;
  Color fill;
  Color border{0, 0, 0, 0};
  float border_width = 0;
  Pattern pattern = Pattern::none;
  Color pattern_color{0, 0, 0, 0};
  float radius = 0;
  int32_t id = -1;  // place in Scene::ids
  bool operator==(const RectItem&) const = default;
};

struct LineItem {
  std::vector<Point> points;  // a polyline
  Color color;
  float width = 1;
  bool dashed = false;
  bool arrow = false;  // a head at the last point
  int32_t id = -1;
  bool operator==(const LineItem&) const = default;
};

struct CircleItem {
  Point center;
  float radius = 0;
  Color fill;
  Color border{0, 0, 0, 0};
  float border_width = 0;
  int32_t id = -1;
  bool operator==(const CircleItem&) const = default;
};

enum class Align : uint8_t { left, center, right };

enum class Face : uint8_t { sans, mono, bold, mono_bold };
constexpr bool is_mono(Face face) {
  return face == Face::mono || face == Face::mono_bold;
}
constexpr bool is_bold(Face face) {
  return face == Face::bold || face == Face::mono_bold;
}
constexpr Face bold_if(bool yes) {
  return yes ? Face::bold : Face::sans;
}

struct TextItem {
  Point at;          // baseline-free: the vertical middle of the line, x by `align`
  std::string text;  // UTF-8
  Color color;
  float px = 13;
  Align align = Align::left;
  Face face = Face::sans;
  bool operator==(const TextItem&) const = default;
};

// A clip that holds for items [first, last) of the order.
struct ClipItem {
  Rect rect;  // empty (w < 0): end of the innermost clip
  bool operator==(const ClipItem&) const = default;
};

// One item of the drawing order: which list and where.
struct DrawRef {
  enum class Kind : uint8_t { rect, line, circle, text, clip };
  Kind kind;
  int32_t index;
  bool operator==(const DrawRef&) const = default;
};

// One entry of the accessible tree: what a screen reader says.
struct AccessibleItem {
  Rect rect;
  int32_t id = -1;
  std::string name;  // "device (0,1), compute, dot 3, 10.9 µs"
  bool operator==(const AccessibleItem&) const = default;
};

class Scene {
 public:
  float width = 0, height = 0;
  Color background;

  void add(RectItem item);
  void add(LineItem item);
  void add(CircleItem item);
  void add(TextItem item);
  void push_clip(Rect rect);
  void pop_clip();
  bool shows(const Rect& rect) const;  // some of it is inside of what clips just now
  int32_t add_id(ItemId id);  // for the `id` fields; the same id gives the same number when added in a row
  void add_accessible(AccessibleItem item);
  // What is written, and what is read aloud, as `read` makes it.
  void rewrite(const std::function<std::string(const std::string&)>& read);

  const std::vector<RectItem>& rects() const { return rects_; }
  const std::vector<LineItem>& lines() const { return lines_; }
  const std::vector<CircleItem>& circles() const { return circles_; }
  const std::vector<TextItem>& texts() const { return texts_; }
  const std::vector<ClipItem>& clips() const { return clips_; }
  const std::vector<DrawRef>& order() const { return order_; }
  const std::vector<ItemId>& ids() const { return ids_; }
  const std::vector<AccessibleItem>& accessible() const { return accessible_; }

  // The topmost item with an id at `p`; lines count within `slack` pixels.
  std::optional<ItemId> hit(Point p, float slack = 3) const;
  std::string text() const;  // one line per item, for golden tests
  bool operator==(const Scene&) const = default;

 private:
  std::vector<Rect> open_clips_;
  std::vector<RectItem> rects_;
  std::vector<LineItem> lines_;
  std::vector<CircleItem> circles_;
  std::vector<TextItem> texts_;
  std::vector<ClipItem> clips_;
  std::vector<DrawRef> order_;
  std::vector<ItemId> ids_;
  std::vector<AccessibleItem> accessible_;
};

}  // namespace shardscope::inline views
