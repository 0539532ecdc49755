// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/clock.h"

#include <algorithm>

namespace shardscope {
namespace {

constexpr double kSecondsPerStep = 0.9;  // at speed 1
constexpr int kFrameMs = 16;

}  // namespace

Clock::Clock(QObject* parent) : QObject(parent) {
  timer_.setInterval(kFrameMs);
  connect(&timer_, &QTimer::timeout, this, &Clock::tick);
  history_.push_back(selection_);
}

void Clock::showRun(ShownRunPtr shown) {
  if (shown == shown_) return;
  play(false);
  shown_ = std::move(shown);
  other_.reset();
  const int32_t step = selection_.step;
  selection_ = {};
  selection_.step = std::clamp(step, 0, std::max(0, stepCount() - 1));
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

void Clock::setStep(int step) {
  const int32_t clamped = std::clamp(step, 0, std::max(0, stepCount() - 1));
  if (clamped == selection_.step && selection_.step_fraction == 1) return;
  selection_.step = clamped;
  selection_.step_fraction = 1;
  Q_EMIT changed();
}

void Clock::stepBy(int by) {
  setStep(selection_.step + by);
}

void Clock::play(bool on) {
  if (on == playing()) return;
  if (on && stepCount() > 0) {
    if (selection_.step + 1 >= stepCount()) selection_.step = 0;
    selection_.step_fraction = reduce_motion_ ? 1 : 0;
    since_.start();
    timer_.start();
  } else {
    timer_.stop();
    selection_.step_fraction = 1;
  }
  Q_EMIT playingChanged(playing());
  Q_EMIT changed();
}

void Clock::setSpeed(double speed) {
  speed_ = speed;
}

void Clock::tick() {
  const double passed = static_cast<double>(since_.elapsed()) / 1000 * speed_ / kSecondsPerStep;
  if (passed < 1) {
    if (reduce_motion_) return;
    selection_.step_fraction = passed;
  } else if (selection_.step + 1 < stepCount()) {
    ++selection_.step;
    selection_.step_fraction = reduce_motion_ ? 1 : 0;
    since_.restart();
  } else {
    play(false);
    return;
  }
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
      play(false);
      selection_.step = std::clamp(step, 0, std::max(0, stepCount() - 1));
      selection_.step_fraction = 1;
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
  Q_EMIT changed();
}

void Clock::back() {
  if (canGoBack()) go(place_ - 1);
}

void Clock::forward() {
  if (canGoForward()) go(place_ + 1);
}

}  // namespace shardscope
