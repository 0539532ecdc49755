// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/time_gesture.h"

#include <cmath>

#include "views/host/canvas_view.h"

namespace shardscope::inline window {
namespace {

constexpr float kPanOfAStep = 40, kScrollOfAKey = 40;

}  // namespace

TimeRange TimeGesture::moved(const TimeAxis& axis, TimeRange bounds) const {
  if (all) return {};
  if (zoom != 1) return axis.zoomed(x, zoom, bounds);
  return pan != 0 ? axis.panned(pan, bounds) : axis.range;
}

std::optional<TimeGesture> gesture_of(const QKeyEvent& event, const TimeAxis& axis) {
  TimeGesture out;
  out.x = axis.left + axis.width / 2;
  switch (event.modifiers() == Qt::NoModifier ? physical_key(event) : static_cast<Qt::Key>(0)) {
    case Qt::Key_W:
      out.zoom = CanvasView::kZoomPerStep;
      return out;
    case Qt::Key_S:
      out.zoom = 1 / CanvasView::kZoomPerStep;
      return out;
    case Qt::Key_A:
      out.pan = axis.width / 8;
      return out;
    case Qt::Key_D:
      out.pan = -axis.width / 8;
      return out;
    default:
      break;
  }
  switch (event.key()) {
    case Qt::Key_Up:
      out.scroll = -kScrollOfAKey;
      return out;
    case Qt::Key_Down:
      out.scroll = kScrollOfAKey;
      return out;
    case Qt::Key_Home:
      out.all = true;
      return out;
    default:
      return std::nullopt;
  }
}

TimeGesture gesture_of_wheel(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers, float line) {
  TimeGesture out;
  if (modifiers.testFlag(Qt::ShiftModifier)) {
    out.scroll = static_cast<float>(-(steps.y() != 0 ? steps.y() : steps.x())) * line;
  } else if (steps.x() != 0 && steps.y() == 0) {
    out.pan = static_cast<float>(steps.x()) * kPanOfAStep;
  } else {
    out.zoom = std::pow(CanvasView::kZoomPerStep, steps.y());
    out.x = static_cast<float>(at.x());
  }
  return out;
}

}  // namespace shardscope::inline window
