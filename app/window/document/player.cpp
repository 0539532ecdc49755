// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/player.h"

#include <algorithm>
#include <cmath>

namespace shardscope::inline window {
namespace {

constexpr int kFrameMs = 16;

}  // namespace

Player::Player(double seconds_per_step, QObject* parent)
    : QObject(parent), seconds_per_step_(seconds_per_step) {
  timer_.setInterval(kFrameMs);
  connect(&timer_, &QTimer::timeout, this, &Player::tick);
}

const std::vector<double>& Player::speeds() {
  static const std::vector<double> kSpeeds{0.25, 0.5, 1.0, 2.0, 4.0};
  return kSpeeds;
}

void Player::setSpeed(double speed) {
  if (speed == speed_) return;
  speed_ = speed;
  Q_EMIT speedChanged(speed);
}

int64_t Player::step() const {
  return static_cast<int64_t>(std::ceil(position_));
}

double Player::fraction() const {
  return 1 - (std::ceil(position_) - position_);
}

void Player::setLast(int64_t last) {
  play(false);
  last_ = last;
  setPosition(position_);
}

void Player::setPosition(double position) {
  const double wanted = std::clamp(position, 0.0, static_cast<double>(std::max<int64_t>(0, last_)));
  if (wanted == position_) return;
  position_ = wanted;
  way_ = 0;
  Q_EMIT changed();
}

void Player::play(bool on) {
  if (on == playing() || (on && last_ < 0)) return;
  if (on) {
    if (position_ >= static_cast<double>(last_)) position_ = 0;
    return start(static_cast<double>(last_));
  }
  timer_.stop();
  Q_EMIT playingChanged(false);
  Q_EMIT changed();
}

void Player::start(double until) {
  until_ = until;
  way_ = 0;
  since_.start();
  timer_.start();
  Q_EMIT playingChanged(true);
  Q_EMIT changed();
}

void Player::playTo(double position) {
  const double until = std::clamp(position, 0.0, static_cast<double>(std::max<int64_t>(0, last_)));
  play(false);
  if (reduce_motion_ || until <= position_) return setPosition(until);
  start(until);
}

void Player::tick() {
  if (position_ >= until_) return play(false);
  const double passed = static_cast<double>(since_.restart()) / 1000 * speed_ / seconds_per_step_;
  if (reduce_motion_) {
    way_ += passed;
    if (way_ < 1) return;
    way_ = 0;
    position_ = std::min(std::floor(position_) + 1, until_);
  } else {
    position_ = std::min(position_ + passed, until_);
  }
  Q_EMIT changed();
}

}  // namespace shardscope::inline window
