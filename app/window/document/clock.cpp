// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/clock.h"

#include <QSignalBlocker>
#include <algorithm>

namespace shardscope::inline window {
namespace {

constexpr WhatChanged kSelection =
    WhatChanged(Changed::time) | Changed::hovered | Changed::selected | Changed::range;

// Where the clock stands still: the ends of beats; of a run that cannot be told its start and end.
std::vector<Picoseconds> ends_of(const ShownRunPtr& shown) {
  if (!shown) return {};
  if (!shown->story) return {0, shown->trace->total()};
  std::vector<Picoseconds> ends;
  for (const Beat& beat : shown->story->beats()) ends.push_back(beat.end);
  return ends;
}

}  // namespace

Clock::Clock(QObject* parent) : Displays(parent) {
  connect(&player_, &RunPlayer::changed, this, [this] {
    now().time = player_.time();
    Q_EMIT changed(Changed::time);
  });
}

// Without saying so: the caller changes more than the moment.
void Clock::stand(Picoseconds time) {
  player_.play(false);
  const QSignalBlocker quiet(player_);
  player_.setTime(time);
  now().time = player_.time();
}

void Clock::takeFront() {
  const Picoseconds time = selection().time;
  const QSignalBlocker quiet(player_);
  player_.setEnds(ends_of(shown()));
  player_.setTime(time);
  now().time = player_.time();
}

void Clock::setBeat(int beat) {
  if (story()) player_.setTime(story()->moment_of(std::clamp(beat, 0, beatCount())));
}

void Clock::restore(const Selection& selection, Subject of) {
  Selection there = selection;
  there.hovered = {};
  standAt(of, there);
  if (of != subject()) return;
  stand(selection.time);
  standAt(of, this->selection());
  Q_EMIT changed(kSelection);
}

void Clock::hover(const ItemId& item) {
  if (item == selection().hovered) return;
  now().hovered = item;
  Q_EMIT changed(Changed::hovered);
}

void Clock::select(const ItemId& item) {
  now().selected = item;
  if (shown() && item.kind != ItemId::Kind::none) {
    if (const auto time = moment_of(*shown(), item)) stand(*time);
  }
  remember();
  Q_EMIT changed(Changed::selected | Changed::time);
}

void Clock::setRange(std::optional<TimeRange> range) {
  now().range = range;
  Q_EMIT changed(Changed::range);
}

void Clock::clear() {
  now().selected = {};
  now().hovered = {};
  now().range.reset();
  Q_EMIT changed(Changed::selected | Changed::hovered | Changed::range);
}

void Clock::remember() {
  Place& here = place();
  here.history.resize(here.at + 1);
  Selection entry = selection();
  entry.hovered = {};
  if (here.history.back().selected == entry.selected && here.history.back().time == entry.time) return;
  here.history.push_back(entry);
  here.at = here.history.size() - 1;
}

void Clock::go(size_t at) {
  Place& here = place();
  here.at = at;
  const ItemId hovered = selection().hovered;
  now() = here.history[at];
  now().hovered = hovered;
  stand(selection().time);
  Q_EMIT changed(Changed::selected | Changed::time | Changed::range);
}

void Clock::back() {
  if (const size_t at = place().at; at > 0) go(at - 1);
}

void Clock::forward() {
  if (place().at + 1 < place().history.size()) go(place().at + 1);
}

}  // namespace shardscope::inline window
