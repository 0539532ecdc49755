// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/runs/run_canvas.h"

namespace shardscope {

// A canvas that is a plane: drag pans, wheel zooms at the cursor, Home fits. The sharding grid and the ring.
class PlaneCanvas : public RunCanvas {
  Q_OBJECT
 public:
  using RunCanvas::RunCanvas;
  float zoom() const { return zoom_; }

 public Q_SLOTS:
  void fitAll();

 protected:
  Point pan() const { return pan_; }
  bool dragStarted(QPointF at, Qt::MouseButton button) override;
  void dragged(QPointF from, QPointF at, QPointF by) override;
  void wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers) override;
  void keyPressEvent(QKeyEvent* event) override;
  void runReplaced() override;

 private:
  void zoomAt(QPointF at, double factor);

  float zoom_ = 1;
  Point pan_;
};

// X, W and Y: who holds which block at the clock's step.
class GridCanvas : public PlaneCanvas {
  Q_OBJECT
 public:
  explicit GridCanvas(Clock& clock, QWidget* parent = nullptr);
  QString viewName() const override { return "grid"; }

 protected:
  Scene layoutRun(const ViewInput& input, const Selection& selection, const Canvas& canvas) const override;
};

// Devices on the mesh and the chunks that move at the clock's step.
class RingCanvas : public PlaneCanvas {
  Q_OBJECT
 public:
  explicit RingCanvas(Clock& clock, QWidget* parent = nullptr);
  QString viewName() const override { return "ring"; }

 protected:
  Scene layoutRun(const ViewInput& input, const Selection& selection, const Canvas& canvas) const override;
};

}  // namespace shardscope
