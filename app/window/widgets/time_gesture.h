// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QKeyEvent>
#include <QPointF>
#include <optional>

#include "views/scene/core/layouts.h"

namespace shardscope::inline window {

// What a wheel or a key asks of a picture over time: wheel, W and S zoom, A and D pan, Shift+wheel, Up and
// Down scroll, Home shows all of it.
struct TimeGesture {
  double zoom = 1;
  float x = 0;       // where it zooms
  float pan = 0;     // pixels to the right
  float scroll = 0;  // pixels down
  bool all = false;

  TimeRange moved(const TimeAxis& axis, TimeRange bounds) const;
};
std::optional<TimeGesture> gesture_of(const QKeyEvent& event, const TimeAxis& axis);
// `line`: pixels that Shift and a step of the wheel scroll.
TimeGesture gesture_of_wheel(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers, float line);

}  // namespace shardscope::inline window
