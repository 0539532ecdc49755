// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "app/window/runs/run_canvas.h"
#include "views/scene/story/held_now.h"

namespace shardscope {

// A view that is a plane: drag pans, wheel zooms at the cursor, Home fits, a click on a slider sets it.
class PlaneCanvas : public RunCanvas {
  Q_OBJECT
 public:
  using RunCanvas::RunCanvas;
  float zoom() const { return plane_.zoom; }
  // Who holds what at the clock's moment, found once for all pictures of it; null: no story tells that.
  const HeldNow* held() const;

 public Q_SLOTS:
  void fitAll();

 protected:
  Scene layoutRun(const ViewInput& input, const Selection& selection, const Canvas& canvas) const override {
    Plane plane = plane_;
    plane.ahead = ahead();
    ViewInput with_held = input;
    with_held.held = held();
    return view().layout(with_held, plane, selection, canvas);
  }
  bool dragStarted(QPointF at, Qt::MouseButton button) override;
  void dragged(QPointF from, QPointF at, QPointF by) override;
  void wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers) override;
  void itemClicked(const ItemId& item) override;
  void keyPressEvent(QKeyEvent* event) override;
  void runChanged(bool another) override;

 private:
  void zoomAt(QPointF at, double factor);

  Plane plane_;
  mutable std::optional<HeldNow> held_;  // of the shown story
};

}  // namespace shardscope
