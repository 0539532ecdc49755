// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSplitter>
#include <QToolButton>
#include <QWidget>
#include <functional>

#include "app/window/chip/kernel_canvas.h"
#include "app/window/chip/kernel_form.h"
#include "app/window/chip/kernel_step_bar.h"
#include "app/window/chip/kernel_tabs.h"
#include "app/window/document/background.h"
#include "app/window/text/find_bar.h"

namespace shardscope::inline window {

// Inside the chip: a kernel under one schedule, step by step, with what is wrong in it, what mends it and how
// long it takes. Schedules are run beside the GUI thread; one that cannot be shown leaves the last picture.
class KernelPanel : public QWidget {
  Q_OBJECT
 public:
  explicit KernelPanel(ExperimentDocument& document, QWidget* parent = nullptr);
  void setTheme(const Theme& theme);
  KernelForm* form() { return form_; }
  KernelPlayer& player() { return player_; }
  KernelCanvas* canvas() { return canvas_; }
  // Shown where the window's transport is not this kernel's, or far away.
  KernelStepBar* stepBar() { return steps_; }
  void keyPressEvent(QKeyEvent* event) override;
  JobBar* job() { return tabs_->findings()->job(); }
  void run() { tabs_->findings()->search(); }
  KernelTabs* tabs() { return tabs_; }
  QToolButton* backButton() { return back_; }
  bool busy() const { return busy_; }
  CanvasView* pictureCanvas() const;  // the one that was used last, for an export

  void restore(const QString& choice);  // of an earlier start
  void open(const KernelChoice& choice);
  // The kernel that stands for an instruction; `whence` names it on the button back.
  void openStandIn(const kernels::StandIn& kernel, const QString& whence);
  void randomSchedule();

 Q_SIGNALS:
  void choiceChanged(const QString& text);
  void backRequested();
  void enlargeRequested();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void layOut();
  void load(bool look_at_failure);

  KernelPlayer player_;
  KernelForm* form_;
  KernelCanvas* canvas_;
  KernelStepBar* steps_;
  KernelTabs* tabs_;
  QSplitter* split_;
  QToolButton* back_;
  FindBar* find_;  // in the kernel's text
  bool busy_ = false;
  bool started_ = false;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
