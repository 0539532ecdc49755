// SPDX-License-Identifier: Apache-2.0
#include "app/window/studies/what_if_canvas.h"

#include <algorithm>

namespace shardscope::inline window {

void WhatIfCanvas::setRuns(ShownRunPtr then, ShownRunPtr base) {
  const bool other = base_ == nullptr || base == nullptr || base_->run != base->run;
  then_ = std::move(then);
  base_ = std::move(base);
  if (other) viewport_ = {};
  invalidate();
}

TimeRange WhatIfCanvas::bounds() const {
  return {0, std::max<Picoseconds>({1, then_->trace->total(), base_->trace->total()})};
}

TimeAxis WhatIfCanvas::axis() const {
  return what_if_axis(then_->input(), base_->input(), viewport_, canvas());
}

void WhatIfCanvas::move(const TimeGesture& gesture) {
  viewport_.range = gesture.moved(axis(), bounds());
  const float most = what_if_overflow(then_->input(), base_->input(), viewport_, canvas());
  viewport_.scroll_y = gesture.all ? 0 : std::clamp(viewport_.scroll_y + gesture.scroll, 0.0F, most);
  invalidate();
}

Scene WhatIfCanvas::layout(const Canvas& canvas) const {
  if (then_ == nullptr) return PictureCanvas::layout(canvas);
  return layout_what_if_timeline(then_->input(), base_->input(), viewport_, selection(), canvas);
}

QStringList WhatIfCanvas::tooltip(const ItemId& item) const {
  QStringList out;
  if (then_ == nullptr || item.kind == ItemId::Kind::none) return out;
  for (const std::string& line : describe(then_->input(), item, then_->trace->total()))
    out << QString::fromStdString(line);
  return out;
}

bool WhatIfCanvas::dragStarted(QPointF /*at*/, Qt::MouseButton button) {
  return then_ != nullptr && (button == Qt::LeftButton || button == Qt::MiddleButton);
}

void WhatIfCanvas::dragged(QPointF /*from*/, QPointF /*at*/, QPointF by) {
  if (then_ == nullptr) return;
  TimeGesture gesture;
  gesture.pan = static_cast<float>(by.x());
  gesture.scroll = static_cast<float>(-by.y());
  move(gesture);
}

void WhatIfCanvas::wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers) {
  if (then_ != nullptr) move(gesture_of_wheel(at, steps, modifiers, theme().base_px * theme().scale * 3));
}

void WhatIfCanvas::keyPressEvent(QKeyEvent* event) {
  const auto gesture = then_ != nullptr ? gesture_of(*event, axis()) : std::nullopt;
  if (!gesture) return PictureCanvas::keyPressEvent(event);
  move(*gesture);
}

}  // namespace shardscope::inline window
