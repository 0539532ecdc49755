// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/pointed.h"

#include <algorithm>
#include <cctype>

#include "engine/base/say.h"
#include "views/scene/core/run_views.h"

namespace shardscope::inline views {
namespace {

constexpr float kWidth = 3, kAway = 2;

bool stands_for(const ItemId& id, const StoryThing& thing) {
  if (thing.device >= 0) return id.kind == ItemId::Kind::device && id.device == thing.device;
  return id.kind == ItemId::Kind::block && id.lane == thing.array &&
         (thing.block < 0 || id.index == thing.block);
}

std::vector<Rect> items_of(const Scene& scene, const StoryThing& thing) {
  std::vector<Rect> out;
  const auto is = [&](int32_t id) {
    return id >= 0 && stands_for(scene.ids()[static_cast<size_t>(id)], thing);
  };
  for (const RectItem& r : scene.rects())
    if (is(r.id) && std::ranges::find(out, r.rect) == out.end()) out.push_back(r.rect);
  for (const CircleItem& c : scene.circles())
    if (is(c.id)) out.push_back({c.center.x - c.radius, c.center.y - c.radius, 2 * c.radius, 2 * c.radius});
  return out;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/';
}

// Where the name stands by itself in a text: "a0" in "a0 w1", not in "a01".
std::vector<Rect> names_in(const TextItem& text, const std::string& name, const Canvas& canvas) {
  std::vector<Rect> out;
  const float whole = canvas.measure(text.text, text.px, text.face);
  const float left = text.align == Align::left    ? text.at.x
                     : text.align == Align::right ? text.at.x - whole
                                                  : text.at.x - whole / 2;
  for (size_t at = text.text.find(name); at != std::string::npos; at = text.text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at > 0 && is_word(text.text[at - 1])) || (end < text.text.size() && is_word(text.text[end])))
      continue;
    const float begin = canvas.measure(text.text.substr(0, at), text.px, text.face);
    const float width = canvas.measure(name, text.px, text.face);
    out.push_back({left + begin, text.at.y - text.px * 0.6F, width, text.px * 1.2F});
  }
  return out;
}

std::vector<Rect> places_of(const Scene& scene, const Story& story, const StoryThing& thing,
                            const Canvas& canvas) {
  std::vector<Rect> out = items_of(scene, thing);
  if (!out.empty() || thing.device >= 0) return out;
  const std::string name = thing_words(story, thing);
  for (const TextItem& text : scene.texts()) {
    const std::vector<Rect> found = names_in(text, name, canvas);
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

}  // namespace

Scene outlined(Scene scene, const Story& story, const std::vector<StoryThing>& things, const Canvas& canvas) {
  const float unit = canvas.theme.scale;
  for (const StoryThing& thing : things) {
    for (const Rect& place : places_of(scene, story, thing, canvas)) {
      RectItem line;
      line.rect = place.inset(-kAway * unit);
      line.fill = {0, 0, 0, 0};
      line.border = canvas.theme.selection;
      line.border_width = kWidth * unit;
      line.radius = 3 * unit;
      scene.add(line);
      scene.add_accessible({line.rect, -1, say("pointed at: {}", thing_words(story, thing))});
    }
  }
  return scene;
}

Result<Scene> layout_pointed(std::string_view view, const ViewInput& input, const PointedMoment& moment,
                             const Canvas& canvas) {
  Selection selection;
  selection.time = moment.time;
  Plane plane;
  plane.ahead = moment.ahead;
  TRY(Scene scene, layout_named(view, input, selection, canvas, plane));
  if (input.story == nullptr || moment.things.empty()) return scene;
  return outlined(std::move(scene), *input.story, moment.things, canvas);
}

}  // namespace shardscope::inline views
