// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/plane_canvas.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

namespace shardscope {

void PlaneCanvas::fitAll() {
  zoom_ = 1;
  pan_ = {};
  invalidate();
}

void PlaneCanvas::runReplaced() {
  zoom_ = 1;
  pan_ = {};
}

bool PlaneCanvas::dragStarted(QPointF /*at*/, Qt::MouseButton /*button*/) {
  return shown() != nullptr;
}

void PlaneCanvas::dragged(QPointF /*from*/, QPointF /*at*/, QPointF by) {
  pan_.x += static_cast<float>(by.x());
  pan_.y += static_cast<float>(by.y());
  invalidate();
}

// Layouts place a point p at p · zoom + pan: the one under the cursor stays there.
void PlaneCanvas::zoomAt(QPointF at, double factor) {
  const float zoom = std::clamp(zoom_ * static_cast<float>(factor), 0.25F, 64.0F);
  const float ratio = zoom / zoom_;
  pan_.x = static_cast<float>(at.x()) - (static_cast<float>(at.x()) - pan_.x) * ratio;
  pan_.y = static_cast<float>(at.y()) - (static_cast<float>(at.y()) - pan_.y) * ratio;
  zoom_ = zoom;
  invalidate();
}

void PlaneCanvas::wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers /*modifiers*/) {
  if (shown() != nullptr) zoomAt(at, std::pow(1.2, steps.y()));
}

void PlaneCanvas::keyPressEvent(QKeyEvent* event) {
  const QPointF middle(width() / 2.0, height() / 2.0);
  switch (event->modifiers() == Qt::NoModifier ? physical_key(*event) : static_cast<Qt::Key>(0)) {
    case Qt::Key_W:
      return zoomAt(middle, 1.2);
    case Qt::Key_S:
      return zoomAt(middle, 1 / 1.2);
    case Qt::Key_A:
      return dragged({}, {}, {40, 0});
    case Qt::Key_D:
      return dragged({}, {}, {-40, 0});
    default:
      break;
  }
  if (event->key() == Qt::Key_Home || event->key() == Qt::Key_F) return fitAll();
  RunCanvas::keyPressEvent(event);
}

GridCanvas::GridCanvas(Clock& clock, QWidget* parent)
    : PlaneCanvas(clock,
                  "The sharding grid shows which device holds which block of X, W and Y at every step.",
                  parent) {
  setObjectName("Sharding");
}

Scene GridCanvas::layoutRun(const ViewInput& input, const Selection& selection, const Canvas& at) const {
  return layout_sharding_grid(input, {zoom(), pan(), {}}, selection, at);
}

RingCanvas::RingCanvas(Clock& clock, QWidget* parent)
    : PlaneCanvas(clock, "The ring shows the devices, their links and the blocks that travel along them.",
                  parent) {
  setObjectName("Ring");
}

Scene RingCanvas::layoutRun(const ViewInput& input, const Selection& selection, const Canvas& at) const {
  return layout_ring(input, {zoom(), pan(), true}, selection, at);
}

}  // namespace shardscope
