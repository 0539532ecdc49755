// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QWidget>
#include <functional>

#include "app/window/chip/kernel_canvas.h"
#include "app/window/chip/kernel_findings.h"
#include "app/window/chip/kernel_form.h"
#include "app/window/chip/kernel_side_canvases.h"
#include "app/window/chip/kernel_step_bar.h"
#include "app/window/chip/kernel_tiles.h"
#include "app/window/document/background.h"

namespace shardscope {

// Inside the chip: a kernel under one schedule, step by step, with what is wrong in it, what mends it and how
// long it takes. Schedules are run beside the GUI thread; one that cannot be shown leaves the last picture.
class KernelPanel : public QWidget {
  Q_OBJECT
 public:
  explicit KernelPanel(ExperimentDocument& document, QWidget* parent = nullptr);
  void setTheme(const Theme& theme);
  KernelForm* form() { return form_; }
  KernelPlayer& player() { return player_; }
  KernelPlayer& twinPlayer() { return twin_player_; }
  KernelCanvas* canvas() { return canvas_; }
  KernelCanvas* twinCanvas() { return twin_canvas_; }
  KernelStepBar* stepBar() { return steps_; }
  KernelFindings* findings() { return findings_; }
  JobBar* job() { return findings_->job(); }
  void run() { findings_->search(); }
  KernelTiles* tiles() { return tiles_; }
  KernelTimeCanvas* timeCanvas() { return time_canvas_; }
  QTabWidget* tabs() { return tabs_; }
  QPushButton* fixButton() { return fix_; }
  QToolButton* backButton() { return back_; }
  bool busy() const { return busy_; }
  CanvasView* pictureCanvas() const;  // the one that was used last, for an export

  void restore(const QString& choice);  // of an earlier start
  void open(const KernelChoice& choice);
  // The kernel that stands for an instruction; `whence` names it on the button back.
  void openStandIn(const kernels::StandIn& kernel, const QString& whence);
  void randomSchedule();
  void fixIt();  // the twin beside it, or away again

 Q_SIGNALS:
  void choiceChanged(const QString& text);
  void backRequested();
  void enlargeRequested();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void layOut();
  QWidget* makeFixTab();
  void load(bool look_at_failure);
  void loadTwin();
  void showPlayer();

  KernelPlayer player_, twin_player_;
  KernelForm* form_;
  KernelStepBar* steps_;
  KernelCanvas *canvas_, *twin_canvas_;
  KernelFindings* findings_;
  KernelFixCanvas* fix_canvas_;
  KernelTimeCanvas* time_canvas_;
  KernelTiles* tiles_;
  QTabWidget* tabs_;
  QSplitter* split_;
  QPushButton *fix_, *load_twin_;
  QToolButton* back_;
  bool busy_ = false;
  bool started_ = false;
  Background work_, twin_work_;  // last: their threads end first
};

}  // namespace shardscope
