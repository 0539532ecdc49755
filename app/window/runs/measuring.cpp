// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/measuring.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/story/event_text.h"

namespace shardscope::inline window {
namespace {

std::optional<TimeRange> span_of(const Clock& clock, const ItemId& item) {
  if (!clock.shown() || item.kind != ItemId::Kind::event) return std::nullopt;
  const auto event = find_event(clock.shown()->input(), item.event);
  return event ? std::optional(TimeRange{event->start, event->end}) : std::nullopt;
}

}  // namespace

void Measuring::key() {
  const auto selected = span_of(clock_, clock_.selection().selected);
  if (on_ && !selected) return end();
  if (!on_) clock_.setRange(std::nullopt);
  on_ = true;
  if (selected) take(*selected);
}

void Measuring::point(const ItemId& item, Picoseconds time) {
  take(span_of(clock_, item).value_or(TimeRange{time, time}));
}

void Measuring::take(TimeRange point) {
  if (!from_) {
    from_ = point;
    return clock_.setRange(point);
  }
  clock_.setRange(TimeRange{std::min(from_->start, point.start), std::max(from_->end, point.end)});
  forget();
}

void Measuring::end() {
  forget();
  clock_.setRange(std::nullopt);
}

std::string Measuring::hint() const {
  if (!on_) return "";
  if (!from_) return say("measuring: click the first point – Esc ends");
  return say("measuring from {}: click the second point – Esc ends", format_picoseconds(from_->start));
}

}  // namespace shardscope::inline window
