// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_player.h"

#include <algorithm>

namespace shardscope {
namespace {

constexpr double kStepMs = 400;  // at speed 1

}  // namespace

KernelPlayer::KernelPlayer(QObject* parent) : QObject(parent) {
  setSpeed(1);
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (step() >= steps()) return play(false);
    readFrame(step() + 1);
    Q_EMIT changed();
  });
}

const std::vector<KernelFinding>& KernelPlayer::findings() const {
  static const std::vector<KernelFinding> kNone;
  return canStep() ? shown_->replay->outcome().findings : kNone;
}

const KernelFinding* KernelPlayer::finding() const {
  return finding_ < 0 ? nullptr : &findings()[static_cast<size_t>(finding_)];
}

void KernelPlayer::readFrame(int64_t step) {
  frame_ = canStep() ? shown_->replay->frame(std::clamp<int64_t>(step, 0, steps())) : KernelFrame();
}

void KernelPlayer::show(ShownKernelPtr shown) {
  play(false);
  shown_ = std::move(shown);
  finding_ = -1;
  readFrame(0);
  Q_EMIT kernelChanged();
  Q_EMIT changed();
}

void KernelPlayer::setStep(int64_t step) {
  const int64_t wanted = std::clamp<int64_t>(step, 0, steps());
  if (wanted == this->step()) return;
  readFrame(wanted);
  Q_EMIT changed();
}

void KernelPlayer::play(bool on) {
  if (on == playing() || (on && !canStep())) return;
  if (on) {
    if (step() >= steps()) readFrame(0);
    timer_.start();
  } else {
    timer_.stop();
  }
  Q_EMIT playingChanged(on);
  Q_EMIT changed();
}

void KernelPlayer::setSpeed(double speed) {
  timer_.setInterval(static_cast<int>(kStepMs / speed));
}

void KernelPlayer::lookAt(int finding) {
  play(false);
  finding_ = finding >= 0 && finding < static_cast<int>(findings().size()) ? finding : -1;
  if (finding_ >= 0) readFrame(this->finding()->step + 1);
  Q_EMIT changed();
}

void KernelPlayer::lookAtNext(int by) {
  const int count = static_cast<int>(findings().size());
  if (count == 0) return;
  if (finding_ < 0) return lookAt(by > 0 ? 0 : count - 1);
  lookAt((finding_ + by + count) % count);
}

}  // namespace shardscope
