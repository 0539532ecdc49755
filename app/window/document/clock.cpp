// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/clock.h"

#include <QSignalBlocker>
#include <algorithm>

namespace shardscope {
namespace {

constexpr WhatChanged kSelection =
    WhatChanged(Changed::time) | Changed::hovered | Changed::selected | Changed::range;
constexpr WhatChanged kAll = kSelection | Changed::run;

// Where the clock stands still: the ends of beats; of a run that cannot be told its start and end.
std::vector<Picoseconds> ends_of(const ShownRunPtr& shown) {
  if (!shown) return {};
  if (!shown->story) return {0, shown->trace->total()};
  std::vector<Picoseconds> ends;
  for (const Beat& beat : shown->story->beats()) ends.push_back(beat.end);
  return ends;
}

}  // namespace

Clock::Clock(QObject* parent) : QObject(parent) {
  connect(&player_, &RunPlayer::changed, this, [this] {
    selection_.time = player_.time();
    Q_EMIT changed(Changed::time);
  });
  history_.push_back(selection_);
}

// Without saying so: the caller changes more than the moment.
void Clock::stand(Picoseconds time) {
  player_.play(false);
  const QSignalBlocker quiet(player_);
  player_.setTime(time);
  selection_.time = player_.time();
}

void Clock::setBeat(int beat) {
  if (story()) player_.setTime(story()->moment_of(std::clamp(beat, 0, beatCount())));
}

void Clock::standOn(ShownRunPtr shown) {
  player_.play(false);
  shown_ = std::move(shown);
  player_.setEnds(ends_of(shown_));
  selection_ = {};
  selection_.time = player_.time();
  history_.assign(1, selection_);
  place_ = 0;
}

void Clock::showRun(ShownRunPtr shown) {
  if (shown == shown_ && !comparison_) return;
  comparison_.reset();
  standOn(std::move(shown));
  Q_EMIT runChanged();
  Q_EMIT changed(kAll);
}

void Clock::showComparison(ShownComparisonPtr comparison) {
  if (comparison == comparison_) return;
  comparison_ = std::move(comparison);
  if (comparison_ && comparison_->runs.front() != shown_) standOn(comparison_->runs.front());
  Q_EMIT runChanged();
  Q_EMIT changed(kAll);
}

void Clock::restore(const Selection& selection) {
  selection_ = selection;
  selection_.hovered = {};
  stand(selection.time);
  history_.assign(1, selection_);
  place_ = 0;
  Q_EMIT changed(kSelection);
}

void Clock::tell(ShownRunPtr shown) {
  shown_ = std::move(shown);
  {
    const QSignalBlocker quiet(player_);
    player_.setEnds(ends_of(shown_));
    player_.setTime(selection_.time);
  }
  selection_.time = player_.time();
  Q_EMIT runChanged();
  Q_EMIT changed(kAll);
}

void Clock::hover(const ItemId& item) {
  if (item == selection_.hovered) return;
  selection_.hovered = item;
  Q_EMIT changed(Changed::hovered);
}

void Clock::select(const ItemId& item) {
  selection_.selected = item;
  if (shown_ && item.kind != ItemId::Kind::none) {
    if (const auto time = moment_of(*shown_, item)) stand(*time);
  }
  remember();
  Q_EMIT changed(Changed::selected | Changed::time);
}

void Clock::setRange(std::optional<TimeRange> range) {
  selection_.range = range;
  Q_EMIT changed(Changed::range);
}

void Clock::clear() {
  selection_.selected = {};
  selection_.hovered = {};
  selection_.range.reset();
  Q_EMIT changed(Changed::selected | Changed::hovered | Changed::range);
}

void Clock::remember() {
  history_.resize(place_ + 1);
  Selection entry = selection_;
  entry.hovered = {};
  if (history_.back().selected == entry.selected && history_.back().time == entry.time) return;
  history_.push_back(entry);
  place_ = history_.size() - 1;
}

void Clock::go(size_t place) {
  place_ = place;
  const ItemId hovered = selection_.hovered;
  selection_ = history_[place];
  selection_.hovered = hovered;
  stand(selection_.time);
  Q_EMIT changed(Changed::selected | Changed::time | Changed::range);
}

void Clock::back() {
  if (place_ > 0) go(place_ - 1);
}

void Clock::forward() {
  if (place_ + 1 < history_.size()) go(place_ + 1);
}

}  // namespace shardscope
