// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/runs/mark_control.h"
#include "app/window/runs/row_control.h"

namespace shardscope::inline window {

// Device × lane over time. Wheel zooms at the cursor,
// drag pans, a drag on the ruler moves the moment, Ctrl+drag there zooms to a range, Shift+drag marks one.
class TimelineCanvas : public RunCanvas {
  Q_OBJECT
 public:
  using RunCanvas::RunCanvas;
  const TimelineViewport& viewport() const { return viewport_; }
  RowControl& rows() { return rows_; }
  TimeAxis axis() const;
  QJsonObject state() const override;  // what is in sight, and the bookmarks
  void restore(const QJsonObject& state) override;
  MarkControl& marks() { return marks_; }
  void pressKey(QKeyEvent* event) { keyPressEvent(event); }  // as if it had the focus

 public Q_SLOTS:
  void fitAll();
  void fitSelection();
  void copyRange();

 protected:
  Scene layoutRun(const ViewInput& input, const Selection& selection, const Canvas& canvas) const override;
  void runChanged(bool another) override;
  QStringList tooltip(const ItemId& item) const override;
  bool dragStarted(QPointF at, Qt::MouseButton button) override;
  void dragged(QPointF from, QPointF at, QPointF by) override;
  void dragEnded(QPointF at) override;
  void wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers) override;
  void itemClicked(const ItemId& item) override;
  void itemDoubleClicked(const ItemId& item) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  enum class Drag { pan, scrub, zoom_range, mark_range };
  void showRange(TimeRange range);
  void zoom(double x, double factor);
  void selectEvent(int32_t number);
  void bringIntoSight(int32_t number);

  TimelineViewport viewport_;
  RowControl rows_{*this, clock(), viewport_};
  Drag drag_ = Drag::pan;
  QPointF pressed_at_;
  mutable MarkControl marks_{*this, clock(), viewport_, rows_,
                             [this](int32_t event) { bringIntoSight(event); }};
};

}  // namespace shardscope::inline window
