// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/clock.h"

#include <QSignalBlocker>

namespace shardscope {
namespace {

constexpr double kRunSecondsPerStep = 0.9;

}  // namespace

Clock::Clock(QObject* parent) : QObject(parent), player_(kRunSecondsPerStep) {
  connect(&player_, &Player::changed, this, [this] {
    readPlayer();
    Q_EMIT changed();
  });
  history_.push_back(selection_);
}

void Clock::readPlayer() {
  selection_.step = static_cast<int32_t>(player_.step());
  selection_.step_fraction = player_.fraction();
}

// Without saying so: the caller changes more than the step.
void Clock::stand(int32_t step) {
  const QSignalBlocker quiet(player_);
  player_.setStep(step);
  readPlayer();
}

void Clock::showRun(ShownRunPtr shown) {
  if (shown == shown_) return;
  player_.play(false);
  shown_ = std::move(shown);
  other_.reset();
  selection_ = {};
  {
    const QSignalBlocker quiet(player_);
    player_.setLast(stepCount() - 1);
  }
  readPlayer();
  history_.assign(1, selection_);
  place_ = 0;
  Q_EMIT runChanged();
  Q_EMIT changed();
}

void Clock::compareWith(ShownRunPtr other) {
  other_ = std::move(other);
  Q_EMIT runChanged();
  Q_EMIT changed();
}

void Clock::hover(const ItemId& item) {
  if (item == selection_.hovered) return;
  selection_.hovered = item;
  Q_EMIT changed();
}

void Clock::select(const ItemId& item) {
  selection_.selected = item;
  if (shown_ && item.kind != ItemId::Kind::none) {
    const int32_t step = step_of(*shown_, item);
    if (step >= 0) {
      player_.play(false);
      stand(step);
    }
  }
  remember();
  Q_EMIT changed();
}

void Clock::setRange(std::optional<TimeRange> range) {
  selection_.range = range;
  Q_EMIT changed();
}

void Clock::clear() {
  selection_.selected = {};
  selection_.hovered = {};
  selection_.range.reset();
  Q_EMIT changed();
}

void Clock::remember() {
  history_.resize(place_ + 1);
  Selection entry = selection_;
  entry.hovered = {};
  if (history_.back().selected == entry.selected && history_.back().step == entry.step) return;
  history_.push_back(entry);
  place_ = history_.size() - 1;
}

void Clock::go(size_t place) {
  place_ = place;
  const ItemId hovered = selection_.hovered;
  selection_ = history_[place];
  selection_.hovered = hovered;
  stand(selection_.step);
  Q_EMIT changed();
}

void Clock::back() {
  if (place_ > 0) go(place_ - 1);
}

void Clock::forward() {
  if (place_ + 1 < history_.size()) go(place_ + 1);
}

}  // namespace shardscope
