// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QSlider>
#include <QWidget>

#include "app/window/document/moments.h"
#include "app/window/widgets/fitted_label.h"
#include "views/scene/core/theme.h"

namespace shardscope::inline window {

// Whose step it is, "step 3 of 12 · 46.6 µs", the scrub slider, with a mark at each step where something was
// found, and the speed. The step buttons are actions of the toolbar.
class StepBar : public QWidget {
  Q_OBJECT
 public:
  explicit StepBar(const Transport& transport, QWidget* parent = nullptr);
  QSlider* slider();
  QString text() const { return label_->said(); }
  QComboBox* speed() { return speed_; }
  void setTheme(const Theme& theme);
  QString who() const { return who_->said(); }  // empty: nothing is shown

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void read();
  void fitWho();

  const Transport& transport_;
  FittedLabel* who_;
  FittedLabel* label_;
  class MarkedSlider* slider_;
  QComboBox* speed_;
};

}  // namespace shardscope::inline window
