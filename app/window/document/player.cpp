// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/player.h"

#include <algorithm>

namespace shardscope {
namespace {

constexpr int kFrameMs = 16;

}  // namespace

Player::Player(double seconds_per_step, QObject* parent)
    : QObject(parent), seconds_per_step_(seconds_per_step) {
  timer_.setInterval(kFrameMs);
  connect(&timer_, &QTimer::timeout, this, &Player::tick);
}

void Player::setLast(int64_t last) {
  play(false);
  last_ = last;
  setStep(step_);
}

void Player::setStep(int64_t step) {
  const int64_t wanted = std::clamp<int64_t>(step, 0, std::max<int64_t>(0, last_));
  if (wanted == step_ && fraction_ == 1) return;
  step_ = wanted;
  fraction_ = 1;
  Q_EMIT changed();
}

void Player::begin(int64_t step) {
  step_ = step;
  fraction_ = reduce_motion_ ? 1 : 0;
  since_.start();
}

void Player::play(bool on) {
  if (on == playing() || (on && last_ < 0)) return;
  if (on) {
    begin(step_ >= last_ ? 0 : step_);
    timer_.start();
  } else {
    timer_.stop();
    fraction_ = 1;
  }
  Q_EMIT playingChanged(on);
  Q_EMIT changed();
}

void Player::tick() {
  const double passed = static_cast<double>(since_.elapsed()) / 1000 * speed_ / seconds_per_step_;
  if (passed < 1) {
    if (reduce_motion_) return;
    fraction_ = passed;
  } else if (step_ < last_) {
    begin(step_ + 1);
  } else {
    return play(false);
  }
  Q_EMIT changed();
}

}  // namespace shardscope
