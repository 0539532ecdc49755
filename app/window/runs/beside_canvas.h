// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/document/clock.h"
#include "app/window/document/shown_beside.h"
#include "app/window/widgets/time_gesture.h"
#include "views/host/canvas_view.h"

namespace shardscope::inline window {

// A measured trace below the shown run on one time axis, above the bars of what it takes longer. Wheel zooms
// at the cursor, drag pans; `,` and `.` go to the operation before and after in the order of the table.
class BesideCanvas : public CanvasView {
  Q_OBJECT
 public:
  explicit BesideCanvas(Clock& clock, QWidget* parent = nullptr);
  void setShown(ShownBesidePtr shown);      // null: nothing to show, the message instead
  void setMessage(const QString& message);  // what it says meanwhile
  const ShownBesidePtr& shown() const { return shown_; }
  const BesideViewport& viewport() const { return viewport_; }
  void goTo(int operation);  // marks it on both sides and shows where it is under way; -1: none

 Q_SIGNALS:
  void operationChosen(int operation);  // by a click on either side or a bar, or by a key; -1: none

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
  TimeAxis axis() const { return beside_axis(shown_->input(), viewport_, canvas()); }
  void move(const TimeGesture& gesture);
  void choose(int operation);
  void walk(int by);

  Clock& clock_;
  ShownBesidePtr shown_;
  QString message_;
  BesideViewport viewport_;
  BesideMarks marks_;
};

}  // namespace shardscope::inline window
