// SPDX-License-Identifier: Apache-2.0
// When: the ruler with its ticks, the beats under it, and the line of the moment.
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "engine/base/say.h"
#include "views/scene/core/ticks.h"
#include "views/scene/story/now.h"
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope::inline views {
namespace {

// Where the moment's time stands on the ruler, when it is in sight.
std::optional<Rect> playhead_box(const Pen& pen, const TimelineContext& c) {
  if (!c.has_moment || c.input.trace.total() <= 0 || c.selection.time < 0) return std::nullopt;
  const float x = c.frame.axis.x_of(c.selection.time);
  if (x < c.frame.plot.x - 1 || x > c.frame.plot.right() + 1) return std::nullopt;
  const Rect& ruler = c.frame.ruler;
  const float width = pen.width(format_picoseconds(c.selection.time), 0.85F, Face::bold) + pen.px(8);
  const float left = std::clamp(x - width / 2, ruler.x, std::max(ruler.x, ruler.right() - width));
  return Rect{left, ruler.y + 1, width, std::max(0.0F, ruler.h - pen.px(6))};
}

}  // namespace

void draw_timeline_ruler(Pen& pen, const TimelineContext& c) {
  const TimelineFrame& f = c.frame;
  const std::optional<Rect> now = playhead_box(pen, c);
  const int most = std::max(1, static_cast<int>(f.axis.width / pen.px(90)));
  for (const TimeTick& tick : time_ticks(f.axis.range, most)) {
    const float x = f.axis.x_of(tick.time);
    pen.line({x, f.plot.y}, {x, f.plot.bottom()}, with_alpha(pen.theme.rule, 0.6));
    if (f.ruler.h <= 0) continue;
    pen.line({x, f.ruler.bottom() - pen.px(5)}, {x, f.ruler.bottom()}, pen.theme.muted_text);
    const float half = pen.width(tick.label, 0.85F) / 2;
    const float middle = std::clamp(x, f.ruler.x + half, f.ruler.right() + pen.px(8) - half);
    // Half behind the moment's time it would be read as another number.
    if (now && middle + half > now->x && middle - half < now->right()) continue;
    pen.text({middle, f.ruler.y + f.ruler.h * 0.4F}, tick.label,
             {pen.theme.muted_text, 0.85F, Align::center});
  }
  if (f.ruler.h > 0)
    pen.line({f.ruler.x, f.ruler.bottom()}, {f.ruler.right(), f.ruler.bottom()}, pen.theme.rule);
}

// The strip under the ruler: the number of each beat where it ends, as far as there is room.
void draw_timeline_beats(Pen& pen, const TimelineContext& c) {
  const TimelineFrame& f = c.frame;
  if (!c.input.story || f.beats.h <= 0) return;
  const Story& story = *c.input.story;
  const int32_t now = current_beats(story, c.selection).last;
  pen.text({f.labels.right() - pen.px(6), f.beats.y + f.beats.h / 2}, "step",
           {pen.theme.muted_text, 0.85F, Align::right});
  float free_from = f.plot.x;
  for (int32_t last = 1; last < std::ssize(story.beats()); ++last) {
    const Picoseconds end = story.moment_of(last);
    if (end > f.axis.range.end) break;
    const float x = f.axis.x_of(end);
    const float least = free_from + pen.px(3) + pen.width(std::to_string(last), 0.85F);
    if (x < least) {
      // On to the first beat that ends where there is room.
      last = std::max(last, story.beat_at(f.axis.time_at(least)));
      continue;
    }
    const int32_t first = last;
    last = story.beat_at(end);
    const std::string name = first == last ? std::to_string(last) : fmt::format("{}–{}", first, last);
    const bool chosen = now == last;
    const float room = pen.width(name, 0.85F, bold_if(chosen));
    if (x - pen.px(3) - room < free_from) continue;
    pen.scene.add(LineItem{
        {{x, f.beats.y + pen.px(3)}, {x, f.beats.bottom()}}, pen.theme.muted_text, 1, false, false, -1});
    pen.scene.add(LineItem{
        {{x, f.plot.y}, {x, f.plot.bottom()}}, with_alpha(pen.theme.muted_text, 0.5), 1, true, false, -1});
    ItemId item;
    item.kind = ItemId::Kind::step;
    item.index = last;
    const Rect box{x - room - pen.px(6), f.beats.y, room + pen.px(8), f.beats.h};
    const int32_t id = pen.id(item);
    pen.rect(box, {0, 0, 0, 0}, id);
    pen.text({x - pen.px(3), f.beats.y + f.beats.h / 2}, name,
             {chosen ? pen.theme.text : pen.theme.muted_text, 0.85F, Align::right, bold_if(chosen)});
    pen.accessible(box, id, beat_name(story, first, last));
    free_from = x;
  }
}

void draw_playhead(Pen& pen, const TimelineContext& c) {
  const std::optional<Rect> now = playhead_box(pen, c);
  if (!now) return;
  const float x = c.frame.axis.x_of(c.selection.time);
  const float top = c.frame.ruler.h > 0 ? c.frame.ruler.bottom() : c.frame.plot.y;
  pen.line({x, top}, {x, c.frame.plot.bottom()}, pen.theme.focus, 2);
  if (c.frame.ruler.h > 0) {
    pen.scene.add(LineItem{{{x, top - pen.px(7)}, {x, top}}, pen.theme.focus, 2, false, true, -1});
    const std::string label = format_picoseconds(c.selection.time);
    const Rect& box = *now;
    pen.rect(box, pen.theme.focus);
    pen.text({box.x + box.w / 2, box.y + box.h / 2}, label,
             {text_on(pen.theme, pen.theme.focus), 0.85F, Align::center, Face::bold});
    pen.accessible(box, -1,
                   said("now ") + label + "; " + sentence_now(c.input, c.selection, SentenceLevel::idea));
  }
}

}  // namespace shardscope::inline views
