// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_player.h"

#include <QSignalBlocker>

namespace shardscope::inline window {
namespace {

constexpr double kKernelSecondsPerStep = 0.4;

}  // namespace

KernelPlayer::KernelPlayer(QObject* parent) : QObject(parent), player_(kKernelSecondsPerStep) {
  player_.setReduceMotion(true);  // between two steps of a schedule there is nothing
  connect(&player_, &Player::changed, this, [this] {
    readFrame();
    Q_EMIT changed();
  });
  connect(&player_, &Player::playingChanged, this, &KernelPlayer::playingChanged);
  connect(&player_, &Player::speedChanged, this, &KernelPlayer::speedChanged);
}

const std::vector<KernelFinding>& KernelPlayer::findings() const {
  static const std::vector<KernelFinding> kNone;
  return canStep() ? shown_->replay->outcome().findings : kNone;
}

const KernelFinding* KernelPlayer::finding() const {
  return finding_ < 0 ? nullptr : &findings()[static_cast<size_t>(finding_)];
}

void KernelPlayer::readFrame() {
  frame_ = canStep() ? shown_->replay->frame(step()) : KernelFrame();
}

void KernelPlayer::show(ShownKernelPtr shown) {
  player_.play(false);
  shown_ = std::move(shown);
  finding_ = -1;
  {
    const QSignalBlocker quiet(player_);
    player_.setLast(canStep() ? steps() : -1);
    player_.setStep(0);
  }
  readFrame();
  Q_EMIT kernelChanged();
  Q_EMIT changed();
}

void KernelPlayer::lookAt(int finding) {
  play(false);
  finding_ = finding >= 0 && finding < static_cast<int>(findings().size()) ? finding : -1;
  if (finding_ >= 0) {
    const QSignalBlocker quiet(player_);
    setStep(this->finding()->step + 1);
    readFrame();
  }
  Q_EMIT changed();
}

void KernelPlayer::lookAtNext(int by) {
  const int count = static_cast<int>(findings().size());
  if (count == 0) return;
  if (finding_ < 0) return lookAt(by > 0 ? 0 : count - 1);
  lookAt((finding_ + by + count) % count);
}

}  // namespace shardscope::inline window
