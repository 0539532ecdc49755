// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QToolButton>

#include "app/window/chip/kernel_moments.h"
#include "app/window/widgets/step_bar.h"
#include "views/scene/core/theme.h"

namespace shardscope::inline window {

// The window's transport once more, where the kernel has a window of its own: first, back, play, on, last.
class KernelStepBar : public QWidget {
  Q_OBJECT
 public:
  explicit KernelStepBar(KernelMoments& moments, QWidget* parent = nullptr);
  KernelMoments& moments() { return moments_; }
  StepBar* bar() { return bar_; }
  void setTheme(const Theme& theme);

 private:
  KernelMoments& moments_;
  Transport transport_;
  QToolButton *first_, *previous_, *play_, *next_, *last_;
  StepBar* bar_;
  Theme theme_;
};

}  // namespace shardscope::inline window
