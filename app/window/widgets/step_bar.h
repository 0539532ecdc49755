// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSlider>
#include <QWidget>

#include "app/window/document/clock.h"

namespace shardscope {

// "step 3 of 12 · 46.6 µs", the scrub slider and the speed. The step buttons are actions of the toolbar.
class StepBar : public QWidget {
  Q_OBJECT
 public:
  explicit StepBar(Clock& clock, QWidget* parent = nullptr);
  QSlider* slider() { return slider_; }
  QString text() const { return label_->text(); }

 private:
  void readClock();
  void readSpeed();

  Clock& clock_;
  QLabel* label_;
  QSlider* slider_;
  QComboBox* speed_;
};

}  // namespace shardscope
