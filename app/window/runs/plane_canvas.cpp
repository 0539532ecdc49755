// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/plane_canvas.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

namespace shardscope {

void PlaneCanvas::fitAll() {
  plane().zoom = 1;
  plane().pan = {};
  invalidate();
}

void PlaneCanvas::runChanged(bool another) {
  if (!another) return;
  const bool ahead = plane().ahead;
  plane() = {};
  plane().ahead = ahead;
}

bool PlaneCanvas::dragStarted(QPointF /*at*/, Qt::MouseButton /*button*/) {
  return shown() != nullptr;
}

void PlaneCanvas::dragged(QPointF /*from*/, QPointF /*at*/, QPointF by) {
  plane().pan.x += static_cast<float>(by.x());
  plane().pan.y += static_cast<float>(by.y());
  invalidate();
}

// Layouts place a point p at p · zoom + pan: the one under the cursor stays there.
void PlaneCanvas::zoomAt(QPointF at, double factor) {
  const float zoom = std::clamp(plane().zoom * static_cast<float>(factor), 0.25F, 64.0F);
  const float ratio = zoom / plane().zoom;
  plane().pan.x = static_cast<float>(at.x()) - (static_cast<float>(at.x()) - plane().pan.x) * ratio;
  plane().pan.y = static_cast<float>(at.y()) - (static_cast<float>(at.y()) - plane().pan.y) * ratio;
  plane().zoom = zoom;
  invalidate();
}

void PlaneCanvas::wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers /*modifiers*/) {
  if (shown() != nullptr) zoomAt(at, std::pow(1.2, steps.y()));
}

void PlaneCanvas::itemClicked(const ItemId& item) {
  if (item.kind != ItemId::Kind::handle || item.lane < 0) return RunCanvas::itemClicked(item);
  const auto slider = static_cast<size_t>(item.lane);
  if (plane().sliders.size() <= slider) plane().sliders.resize(slider + 1);
  plane().sliders[slider] = item.index;
  invalidate();
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
  const double line = 3.0 * static_cast<double>(theme().base_px * theme().scale);
  if (event->key() == Qt::Key_Up) return dragged({}, {}, {0, line});
  if (event->key() == Qt::Key_Down) return dragged({}, {}, {0, -line});
  if (event->key() == Qt::Key_Home || event->key() == Qt::Key_F) return fitAll();
  RunCanvas::keyPressEvent(event);
}

}  // namespace shardscope
