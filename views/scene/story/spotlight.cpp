// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/spotlight.h"

#include <algorithm>
#include <cmath>

#include "views/scene/core/pen.h"
#include "views/scene/story/now.h"

namespace shardscope::inline views {
namespace {

constexpr double kVeil = 0.72;     // of the background's colour
constexpr size_t kMostLit = 2000;  // places; a picture with more is lit as it is
constexpr float kBesideLine = 5;   // pixels round a line that are lit with it

void add_event(Changes& out, const Story& story, int32_t number) {
  const Event& event = story.timeline().events[static_cast<size_t>(number)];
  out.events.insert(number);
  out.devices.insert(event.device);
  if (event.kind != EventKind::transfer) return;
  out.links.insert({event.device, event.lane});
  if (event.peer >= 0) out.devices.insert(event.peer);
  for (const Carried& each : story.carried(number)) out.blocks.insert({each.what.array, each.what.block});
}

Rect whole_pixels(const Rect& r) {
  const float x = std::floor(r.x), y = std::floor(r.y);
  return {x, y, std::ceil(r.right()) - x, std::ceil(r.bottom()) - y};
}

class Lit {
 public:
  Lit(const Scene& scene, const Changes& changes) : scene_(scene), changes_(changes) {
    for (const RectItem& each : scene.rects()) add(each.id, each.rect);
    for (const CircleItem& each : scene.circles())
      add(each.id,
          {each.center.x - each.radius, each.center.y - each.radius, 2 * each.radius, 2 * each.radius});
    for (const LineItem& each : scene.lines()) add_line(each);
    for (const AccessibleItem& each : scene.accessible()) add(each.id, each.rect);
  }
  std::vector<Rect> places;

 private:
  void add(int32_t id, const Rect& r) {
    if (id < 0 || r.w <= 0 || r.h <= 0 || !changes_.has(scene_.ids()[static_cast<size_t>(id)])) return;
    const float x = std::max(0.0F, r.x), y = std::max(0.0F, r.y);
    const Rect inside{x, y, std::min(scene_.width, r.right()) - x, std::min(scene_.height, r.bottom()) - y};
    if (inside.w > 0 && inside.h > 0) places.push_back(whole_pixels(inside));
  }
  void add_line(const LineItem& line) {
    for (size_t i = 0; i + 1 < line.points.size(); ++i) {
      const Point a = line.points[i], b = line.points[i + 1];
      const float x = std::min(a.x, b.x) - kBesideLine, y = std::min(a.y, b.y) - kBesideLine;
      add(line.id, {x, y, std::abs(a.x - b.x) + 2 * kBesideLine, std::abs(a.y - b.y) + 2 * kBesideLine});
    }
  }
  const Scene& scene_;
  const Changes& changes_;
};

// What of the line [0, width) none of the places covers, for the lines from `top` to `bottom`.
void veil_between(Scene& scene, std::vector<Rect>& places, float top, float bottom, Color veil) {
  const auto put = [&](float from, float to) {
    if (to <= from) return;
    RectItem out;
    out.rect = {from, top, to - from, bottom - top};
    out.fill = veil;
    scene.add(out);
  };
  float from = 0;
  for (const Rect& each : places) {  // by x
    if (each.y > top || each.bottom() < bottom) continue;
    put(from, std::min(each.x, scene.width));
    from = std::max(from, each.right());
  }
  put(from, scene.width);
}

}  // namespace

bool Changes::has(const ItemId& item) const {
  switch (item.kind) {
    case ItemId::Kind::event:
    case ItemId::Kind::chunk:
      return events.contains(item.event);
    case ItemId::Kind::device:
      return devices.contains(item.device);
    case ItemId::Kind::link:
      return links.contains({item.device, item.lane});
    case ItemId::Kind::block:
      return blocks.contains({item.lane, item.index}) || blocks.contains({item.lane, -1});
    case ItemId::Kind::step:
      return beats.contains(item.index);
    case ItemId::Kind::instruction:
    case ItemId::Kind::buffer:
      return instructions.contains(item.instruction);
    case ItemId::Kind::none:
    case ItemId::Kind::event_group:
    case ItemId::Kind::handle:
    case ItemId::Kind::candidate:
      break;
  }
  return false;
}

Changes changes_at(const ViewInput& input, const Selection& selection) {
  Changes out;
  if (input.story == nullptr) return out;
  const Story& story = *input.story;
  const CurrentBeats told = current_beats(story, selection);
  for (int32_t beat = std::max(1, told.first); beat <= told.last; ++beat) {
    const Beat& of = story.beats()[static_cast<size_t>(beat)];
    out.beats.insert(beat);
    out.instructions.insert(of.instruction);
    for (const int32_t number : of.events) add_event(out, story, number);
    if (of.transfer_step < 0) {
      for (const int32_t array : story.arrays_in_buffer(of.instruction)) out.blocks.insert({array, -1});
    }
  }
  return out;
}

void add_spotlight(Scene& scene, const Changes& changes, const Theme& theme) {
  std::vector<Rect> places = Lit(scene, changes).places;
  if (places.empty() || places.size() > kMostLit) return;
  std::set<float> edges = {0, std::ceil(scene.height)};
  for (const Rect& each : places) edges.insert({each.y, each.bottom()});
  std::sort(places.begin(), places.end(), [](const Rect& a, const Rect& b) { return a.x < b.x; });
  const Color veil = with_alpha(theme.background, kVeil);
  for (auto edge = edges.begin(); std::next(edge) != edges.end(); ++edge)
    veil_between(scene, places, *edge, *std::next(edge), veil);
}

}  // namespace shardscope::inline views
