// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSlider>
#include <QToolButton>
#include <QWidget>

#include "app/window/chip/kernel_player.h"
#include "views/scene/core/theme.h"

namespace shardscope {

// Scrubs through a schedule: first, back, play, on, last; a slider, the step, the speed.
class KernelStepBar : public QWidget {
  Q_OBJECT
 public:
  explicit KernelStepBar(KernelPlayer& player, QWidget* parent = nullptr);
  QSlider* slider();
  QComboBox* speed() { return speed_; }
  QToolButton* playButton() { return play_; }
  void setTheme(const Theme& theme);
  void setBusy(bool busy);  // another schedule is being made

 private:
  void readPlayer();

  KernelPlayer& player_;
  QToolButton *first_, *previous_, *play_, *next_, *last_;
  class FindingSlider* slider_;
  QLabel* label_;
  QComboBox* speed_;
  Theme theme_;
  bool busy_ = false;
};

}  // namespace shardscope
