// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QWidget>
#include <vector>

#include "app/window/document/narrator.h"
#include "app/window/runs/run_canvas.h"

namespace shardscope {

// One canvas full screen with large labels and one sentence per beat. Arrows and the keys of a clicker step,
// 1, 2 and 3 choose the sentences' level, Tab changes the canvas, Esc or F11 leaves. It begins with `view`,
// or with the ring where that does not move.
class DemoMode : public QWidget {
  Q_OBJECT
 public:
  DemoMode(Clock& clock, Preferences& preferences, const QString& view);
  QString sentence() const { return sentence_->text(); }

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void readClock();
  void say();
  void showCanvas(size_t place);

  Clock& clock_;
  Preferences& preferences_;
  Narrator narrator_;
  std::vector<RunCanvas*> canvases_;
  size_t place_ = 0;
  QLabel *sentence_, *counter_;
};

}  // namespace shardscope
