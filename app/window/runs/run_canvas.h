// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QMenu>
#include <QPushButton>
#include <QString>

#include "app/window/document/clock.h"
#include "views/host/canvas_view.h"
#include "views/scene/core/run_views.h"
#include "views/scene/story/pointed.h"

namespace shardscope::inline window {

// A view of the clock's run: shares hover and selection, steps with the arrow keys. Without a run it says
// what it will show and offers to run.
class RunCanvas : public CanvasView {
  Q_OBJECT
 public:
  RunCanvas(const RunView& view, Clock& clock, QWidget* parent = nullptr);

  const RunView& view() const { return view_; }
  void setBusy(bool busy);          // a job runs: the canvas says so instead of offering the button
  void setSpotlight(bool on);       // all but what the moment changes is dimmed
  void setAhead(bool ahead);        // may it tell what comes later
  void setFailure(QString reason);  // stands where the result would; empty: none
  void point(std::vector<StoryThing> things);       // outlined from now on
  virtual QJsonObject state() const { return {}; }  // of the view, for the same run later
  virtual void restore(const QJsonObject& /*state*/) {}

 Q_SIGNALS:
  void runRequested();
  void stateChanged();
  void menuOpens(QMenu& menu, const ItemId& at);  // whoever has something to offer there adds it

 protected:
  virtual Scene layoutRun(const ViewInput& input, const Selection& selection, const Canvas& canvas) const {
    return view_.layout(input, plane_, selection, canvas);
  }
  // Another run is shown: forget what belongs to the old one. Else more is known of the same.
  virtual void runChanged(bool /*another*/) {}

  Scene layout(const Canvas& canvas) const override;
  QStringList tooltip(const ItemId& item) const override;
  void itemHovered(const ItemId& item) override;
  void itemClicked(const ItemId& item) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

  Clock& clock() const { return clock_; }
  const ShownRun* shown() const { return clock_.shown().get(); }

  Plane plane_;  // what of a plane is in sight

 private:
  void placeButton();
  void takeRun();
  void follow(WhatChanged what);

  const RunView& view_;  // a row of the table
  Clock& clock_;
  QString failure_;
  std::vector<StoryThing> pointed_;
  std::shared_ptr<const Showing> showing_;  // ShownRun's
  // How runs were seen that another page's took the place of, which come back.
  std::vector<std::pair<std::weak_ptr<const Showing>, QJsonObject>> left_;
  Selection followed_;  // the clock's, as it was last told
  bool busy_ = false, spotlight_ = false;
  QPushButton* run_button_;
};

}  // namespace shardscope::inline window
