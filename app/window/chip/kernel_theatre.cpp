// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_theatre.h"

#include <utility>

namespace shardscope::inline window {

KernelTheatre::KernelTheatre(KernelPlayer& player, QWidget* parent) : MoveList(parent), player_(player) {
  connect(this, &MoveList::beginWanted, this, &KernelTheatre::begin);
  connect(this, &MoveList::backWanted, this, &KernelTheatre::takeBack);
  connect(this, &MoveList::chosen, this, [this](int place) {
    if (player_.canStep()) play(with_move(*player_.shown()->replay, player_.step(), place));
  });
  connect(&player_, &KernelPlayer::changed, this, [this] {
    if (isVisible()) fill();  // to list what comes next, the run is followed up to the shown step
  });
}

void KernelTheatre::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  fill();
}

void KernelTheatre::fill() {
  offer(player_.canStep() ? player_.shown()->replay.get() : nullptr, player_.step(), 0, {});
}

void KernelTheatre::begin() {
  if (player_.canStep()) play({});
}

void KernelTheatre::takeBack() {
  if (!player_.canStep() || player_.step() == 0) return;
  std::vector<kernels::Action> choices = player_.shown()->replay->outcome().choices;
  choices.resize(static_cast<size_t>(player_.step() - 1));
  play(std::move(choices));
}

void KernelTheatre::play(std::vector<kernels::Action> choices) {
  auto played = std::make_shared<ShownKernel>(*player_.shown());
  played->replay = std::make_shared<const kernels::KernelReplay>(player_.shown()->replay->program(),
                                                                 std::move(choices), kKernelInputSeed);
  const int64_t steps = played->replay->steps();
  player_.show(std::move(played));
  player_.setStep(steps);
}

}  // namespace shardscope::inline window
