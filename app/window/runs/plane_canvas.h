// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/runs/run_canvas.h"

namespace shardscope::inline window {

// A view that is a plane: drag pans, wheel zooms at the cursor, Home fits, a click on a slider sets it.
class PlaneCanvas : public RunCanvas {
  Q_OBJECT
 public:
  using RunCanvas::RunCanvas;
  float zoom() const { return plane_.zoom; }
  QJsonObject state() const override;  // what is in sight
  void restore(const QJsonObject& state) override;

 public Q_SLOTS:
  void fitAll();

 protected:
  bool dragStarted(QPointF at, Qt::MouseButton button) override;
  void dragged(QPointF from, QPointF at, QPointF by) override;
  void wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers) override;
  void itemClicked(const ItemId& item) override;
  void keyPressEvent(QKeyEvent* event) override;
  void runChanged(bool another) override;

 private:
  void zoomAt(QPointF at, double factor);
};

}  // namespace shardscope::inline window
