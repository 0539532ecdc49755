// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/document/shown_run.h"
#include "app/window/widgets/picture_canvas.h"
#include "app/window/widgets/time_gesture.h"

namespace shardscope::inline window {

// A run timed again before what it was, which is a ghost behind it. Wheel, keys and drags move it as they
// move the timeline; a new answer leaves what is in sight where it is.
class WhatIfCanvas : public PictureCanvas {
  Q_OBJECT
 public:
  using PictureCanvas::PictureCanvas;
  void setRuns(ShownRunPtr then, ShownRunPtr base);  // null: the message
  const TimelineViewport& viewport() const { return viewport_; }

 protected:
  Scene layout(const Canvas& canvas) const override;
  QStringList tooltip(const ItemId& item) const override;
  bool dragStarted(QPointF at, Qt::MouseButton button) override;
  void dragged(QPointF from, QPointF at, QPointF by) override;
  void wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  TimeAxis axis() const;
  TimeRange bounds() const;
  void move(const TimeGesture& gesture);

  ShownRunPtr then_, base_;
  TimelineViewport viewport_;
};

}  // namespace shardscope::inline window
