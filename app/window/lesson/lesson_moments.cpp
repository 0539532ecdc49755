// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/lesson_moments.h"

#include "app/window/lesson/lesson_text.h"
#include "engine/base/say.h"
#include "views/scene/chip/kernel_canvas.h"

namespace shardscope::inline window {

LessonMoments::LessonMoments(LessonPlayer& player, const Preferences& preferences, QObject* parent)
    : Moments(parent), player_(player), run_(player.clock(), preferences) {
  connect(&run_, &Moments::changed, this, &Moments::changed);
  connect(&run_, &Moments::playingChanged, this, &Moments::playingChanged);
  connect(&player_.kernelSteps(), &Player::changed, this, &Moments::changed);
  connect(&player_.kernelSteps(), &Player::playingChanged, this, &Moments::playingChanged);
  connect(&player_, &LessonPlayer::shownChanged, this, &Moments::changed);
  connect(&player_.learner(), &Learner::changed, this, &Moments::changed);
}

const NamedKernel* LessonMoments::kernel() const {
  return player_.shown() != nullptr ? player_.shown()->kernel.get() : nullptr;
}

QString LessonMoments::covered(const QString& text) const {
  const auto reading = player_.reading();
  return reading ? as_text(reading(text.toStdString())) : text;
}

QString LessonMoments::who() const {
  return covered(kernel() != nullptr ? as_text(kernel()->run.layout.kernel) : run_.who());
}

QString LessonMoments::words() const {
  if (kernel() == nullptr) return covered(player_.clock().shown() ? run_.words() : QString());
  const int64_t step = player_.kernelSteps().step(), last = player_.kernelSteps().last();
  return covered(
      as_text(step == 0 ? say("before the first of {} steps", last) : say("step {} of {}", step, last)));
}

QString LessonMoments::sentence() const {
  if (kernel() == nullptr) return covered(run_.sentence());
  const kernels::KernelReplay& replay = *kernel()->replay;
  const KernelFrame frame = replay.frame(std::min(player_.kernelSteps().step(), replay.steps()));
  return covered(as_text(narrate_kernel({replay.program().layout, frame, replay.steps()})));
}

int LessonMoments::at() const {
  return kernel() != nullptr ? static_cast<int>(player_.kernelSteps().step()) : run_.at();
}

int LessonMoments::last() const {
  return kernel() != nullptr ? static_cast<int>(player_.kernelSteps().last()) : run_.last();
}

void LessonMoments::goTo(int step) {
  kernel() != nullptr ? player_.kernelSteps().setStep(step) : run_.goTo(step);
}

void LessonMoments::stepBy(int by) {
  kernel() != nullptr ? player_.kernelSteps().stepBy(by) : run_.stepBy(by);
}

bool LessonMoments::playing() const {
  return kernel() != nullptr ? player_.kernelSteps().playing() : run_.playing();
}

void LessonMoments::play(bool on) {
  kernel() != nullptr ? player_.kernelSteps().play(on) : run_.play(on);
}

bool LessonMoments::press(int key) {
  switch (key) {
    case Qt::Key_Left:
      return stepBy(-1), true;
    case Qt::Key_Right:
      return stepBy(1), true;
    case Qt::Key_Space:
      return play(!playing()), true;
    case Qt::Key_R:
      return player_.replay(), true;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return changeSpeed(1), true;
    case Qt::Key_Minus:
      return changeSpeed(-1), true;
    default:
      return false;
  }
}

void LessonMoments::setSpeed(double speed) {
  run_.setSpeed(speed);
  player_.kernelSteps().setSpeed(speed);
}

}  // namespace shardscope::inline window
