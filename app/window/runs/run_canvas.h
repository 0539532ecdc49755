// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPushButton>
#include <QString>

#include "app/window/document/clock.h"
#include "views/host/canvas_view.h"

namespace shardscope {

// A canvas over the clock's run: shares hover and selection, steps with the arrow keys. Without a run it says
// what it will show and offers to run.
class RunCanvas : public CanvasView {
  Q_OBJECT
 public:
  RunCanvas(Clock& clock, QString what, QWidget* parent = nullptr);

  virtual QString viewName() const = 0;  // for file names and `--view`: "timeline"
  const QString& what() const { return what_; }
  void setBusy(bool busy);          // a job runs: the canvas says so instead of offering the button
  void setFailure(QString reason);  // stands where the result would; empty: none

 Q_SIGNALS:
  void runRequested();

 protected:
  virtual Scene layoutRun(const ViewInput& input, const Selection& selection, const Canvas& canvas) const = 0;
  virtual void runReplaced() {}  // another run is shown: forget what belongs to the old one

  Scene layout(const Canvas& canvas) const override;
  QStringList tooltip(const ItemId& item) const override;
  void itemHovered(const ItemId& item) override;
  void itemClicked(const ItemId& item) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

  Clock& clock() const { return clock_; }
  const ShownRun* shown() const { return clock_.shown().get(); }

 private:
  Scene emptyScene(const Canvas& canvas) const;
  void placeButton();

  Clock& clock_;
  QString what_, failure_;
  bool busy_ = false;
  QPushButton* run_button_;
};

}  // namespace shardscope
