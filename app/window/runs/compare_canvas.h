// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/document/clock.h"
#include "app/window/widgets/time_gesture.h"
#include "views/host/canvas_view.h"

namespace shardscope::inline window {

// The clock's comparison: its runs on one time axis with one cursor, above the bars of what they differ in.
// Wheel zooms at the cursor, drag pans, a drag on the ruler moves the cursor; in the first run it is the
// clock's moment. `,` and `.` walk the events of the chosen operation.
class CompareCanvas : public CanvasView {
  Q_OBJECT
 public:
  explicit CompareCanvas(Clock& clock, QWidget* parent = nullptr);
  const CompareViewport& viewport() const { return viewport_; }
  const CompareMarks& marks() const { return marks_; }
  void setLineUp(LineUp line_up);
  void goTo(int operation);  // marks it in all runs and shows where it is under way; -1: none
  void walk(int by);         // to the next (1) or previous (−1) event of the chosen operation
  void fitAll();

 Q_SIGNALS:
  void barChosen(int term, int run);    // by a click on what a run has more or less of it
  void operationChosen(int operation);  // by a click on one of its events; -1: none

 protected:
  Scene layout(const Canvas& canvas) const override;
  QStringList tooltip(const ItemId& item) const override;
  void itemHovered(const ItemId& item) override;
  void itemClicked(const ItemId& item) override;
  void itemDoubleClicked(const ItemId& item) override;
  bool dragStarted(QPointF at, Qt::MouseButton button) override;
  void dragged(QPointF from, QPointF at, QPointF by) override;
  void wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  const ShownComparison* shown() const { return clock_.of(Subject::runs).comparison.get(); }
  TimeAxis axis() const { return compare_axis(shown()->input(), viewport_, canvas()); }
  void showRange(TimeRange range);
  void move(const TimeGesture& gesture);
  void setCursorTime(Picoseconds time);
  void followClock();
  void replaced();

  Clock& clock_;
  ShownComparisonPtr read_;
  CompareViewport viewport_;
  CompareMarks marks_;
  bool on_ruler_ = false;
};

}  // namespace shardscope::inline window
