// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/plane_canvas.h"

#include <QJsonArray>
#include <QKeyEvent>
#include <algorithm>
#include <cmath>

namespace shardscope::inline window {
namespace {

constexpr float kLeastZoom = 0.25F, kMostZoom = 64;

}  // namespace

void PlaneCanvas::fitAll() {
  plane_.zoom = 1;
  plane_.pan = {};
  invalidate();
}

QJsonObject PlaneCanvas::state() const {
  QJsonArray sliders;
  for (const int64_t block : plane_.sliders) sliders.append(static_cast<qint64>(block));
  return {{"zoom", plane_.zoom},
          {"x", plane_.pan.x},
          {"y", plane_.pan.y},
          {"sliders", sliders},
          {"numbers", plane_.numbers}};
}

void PlaneCanvas::restore(const QJsonObject& state) {
  plane_.zoom = std::clamp(static_cast<float>(state["zoom"].toDouble(1)), kLeastZoom, kMostZoom);
  plane_.pan = {static_cast<float>(state["x"].toDouble()), static_cast<float>(state["y"].toDouble())};
  plane_.numbers = state["numbers"].toBool();
  plane_.sliders.clear();
  for (const auto& block : state["sliders"].toArray()) plane_.sliders.push_back(block.toInteger());
  invalidate();
}

void PlaneCanvas::runChanged(bool another) {
  if (!another) return;
  const bool ahead = plane_.ahead;
  plane_ = {};
  plane_.ahead = ahead;
}

bool PlaneCanvas::dragStarted(QPointF /*at*/, Qt::MouseButton /*button*/) {
  return shown() != nullptr;
}

void PlaneCanvas::dragged(QPointF /*from*/, QPointF /*at*/, QPointF by) {
  plane_.pan.x += static_cast<float>(by.x());
  plane_.pan.y += static_cast<float>(by.y());
  invalidate();
  Q_EMIT stateChanged();
}

// Layouts place a point p at p · zoom + pan: the one under the cursor stays there.
void PlaneCanvas::zoomAt(QPointF at, double factor) {
  const float zoom = std::clamp(plane_.zoom * static_cast<float>(factor), kLeastZoom, kMostZoom);
  const float ratio = zoom / plane_.zoom;
  plane_.pan.x = static_cast<float>(at.x()) - (static_cast<float>(at.x()) - plane_.pan.x) * ratio;
  plane_.pan.y = static_cast<float>(at.y()) - (static_cast<float>(at.y()) - plane_.pan.y) * ratio;
  plane_.zoom = zoom;
  invalidate();
  Q_EMIT stateChanged();
}

void PlaneCanvas::wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers /*modifiers*/) {
  if (shown() != nullptr) zoomAt(at, std::pow(1.2, steps.y()));
}

void PlaneCanvas::itemClicked(const ItemId& item) {
  if (item.kind == ItemId::Kind::handle && item.lane == kNumbersHandle) {
    plane_.numbers = !plane_.numbers;
    invalidate();
    Q_EMIT stateChanged();
    return;
  }
  if (item.kind != ItemId::Kind::handle || item.lane < 0) return RunCanvas::itemClicked(item);
  const auto slider = static_cast<size_t>(item.lane);
  if (plane_.sliders.size() <= slider) plane_.sliders.resize(slider + 1);
  plane_.sliders[slider] = item.index;
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

}  // namespace shardscope::inline window
