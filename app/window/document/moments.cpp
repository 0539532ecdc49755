// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/moments.h"

#include <algorithm>

#include "app/window/document/player.h"

namespace shardscope::inline window {

void Moments::changeSpeed(int by) {
  const auto& all = Player::speeds();
  const auto at = std::ranges::find(all, speed()) - all.begin() + by;
  setSpeed(all[static_cast<size_t>(std::clamp<std::ptrdiff_t>(at, 0, std::ssize(all) - 1))]);
}

Transport::Transport(Moments& front, QObject* parent) : QObject(parent), front_(&front) {
  listen();
}

void Transport::listen() {
  connect(front_, &Moments::changed, this, &Transport::changed);
  connect(front_, &Moments::playingChanged, this, &Transport::playingChanged);
}

void Transport::setFront(Moments& front) {
  if (&front == front_) return;
  front_->play(false);  // what is not seen does not play
  disconnect(front_, nullptr, this, nullptr);
  front_ = &front;
  listen();
  Q_EMIT frontChanged();
  Q_EMIT changed();
  Q_EMIT playingChanged();
}

}  // namespace shardscope::inline window
