// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/beside_canvas.h"

#include <QKeyEvent>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/widgets/picture_canvas.h"

namespace shardscope::inline window {

BesideCanvas::BesideCanvas(Clock& clock, QWidget* parent) : CanvasView(parent), clock_(clock) {
  setObjectName("Beside");
  setAccessibleName("A measured trace below the simulated run"_tr);
}

void BesideCanvas::setShown(ShownBesidePtr shown) {
  const bool same = shown && shown_ && shown->beside.trace == shown_->beside.trace &&
                    shown->beside.run == shown_->beside.run;
  shown_ = std::move(shown);
  if (!same) viewport_ = {};
  marks_ = {};
  invalidate();
}

void BesideCanvas::setMessage(const QString& message) {
  message_ = message;
  invalidate();
}

void BesideCanvas::goTo(int operation) {
  if (!shown_) return;
  viewport_.operation = operation;
  const TimeRange range = beside_range_of(shown_->input(), operation);
  if (range.length() > 0) viewport_.range = range;
  invalidate();
}

void BesideCanvas::choose(int operation) {
  viewport_.operation = operation;
  Q_EMIT operationChosen(operation);
  invalidate();
}

void BesideCanvas::walk(int by) {
  const auto count = static_cast<int>(std::ssize(shown_->beside.residual.operations));
  if (count == 0) return;
  const int from = viewport_.operation < 0 ? (by > 0 ? -1 : count) : viewport_.operation;
  goTo(std::clamp(from + by, 0, count - 1));
  Q_EMIT operationChosen(viewport_.operation);
}

Scene BesideCanvas::layout(const Canvas& canvas) const {
  if (!shown_) return message_scene(message_, false, 0, canvas);
  return layout_beside(shown_->input(), viewport_, marks_, canvas);
}

QStringList BesideCanvas::tooltip(const ItemId& item) const {
  QStringList out;
  if (!shown_) return out;
  std::vector<std::string> lines;
  if (item.kind == ItemId::Kind::event && item.index == kMeasuredTag) {
    lines = describe_measured(shown_->input(), item.event);
  } else if (item.kind == ItemId::Kind::event) {
    lines = describe(shown_->run, item, clock_.selection().time);
    lines.insert(lines.begin(), said("simulated"));
  } else if (item.kind == ItemId::Kind::candidate) {
    const auto& row = shown_->beside.residual.operations[static_cast<size_t>(item.index)];
    lines = {row.instruction, row.op};
  }
  for (const std::string& line : lines) out << QString::fromStdString(line);
  return out;
}

void BesideCanvas::itemHovered(const ItemId& item) {
  if (marks_.hovered == item) return;
  marks_.hovered = item;
  clock_.hover(item.kind == ItemId::Kind::event && item.index == kSimulatedTag ? item : ItemId());
  invalidate();
}

void BesideCanvas::itemClicked(const ItemId& item) {
  if (!shown_) return;
  if (item.kind == ItemId::Kind::event && item.index == kSimulatedTag) clock_.select(item);
  choose(beside_operation(shown_->input(), item));
}

void BesideCanvas::itemDoubleClicked(const ItemId& item) {
  if (!shown_) return;
  itemClicked(item);
  goTo(viewport_.operation);
}

bool BesideCanvas::dragStarted(QPointF /*at*/, Qt::MouseButton button) {
  return shown_ && (button == Qt::LeftButton || button == Qt::MiddleButton);
}

void BesideCanvas::dragged(QPointF /*from*/, QPointF /*at*/, QPointF by) {
  if (!shown_) return;
  TimeGesture gesture;
  gesture.pan = static_cast<float>(by.x());
  gesture.scroll = static_cast<float>(-by.y());
  move(gesture);
}

void BesideCanvas::move(const TimeGesture& gesture) {
  viewport_.range = gesture.moved(axis(), beside_bounds(shown_->beside.residual));
  const float most = beside_overflow(shown_->input(), viewport_, canvas());
  viewport_.scroll_y = gesture.all ? 0 : std::clamp(viewport_.scroll_y + gesture.scroll, 0.0F, most);
  invalidate();
}

void BesideCanvas::wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers) {
  if (shown_) move(gesture_of_wheel(at, steps, modifiers, theme().base_px * theme().scale * 3));
}

void BesideCanvas::keyPressEvent(QKeyEvent* event) {
  if (!shown_) return CanvasView::keyPressEvent(event);
  if (const auto gesture = gesture_of(*event, axis())) return move(*gesture);
  switch (event->key()) {
    case Qt::Key_F:
      return goTo(viewport_.operation);
    case Qt::Key_Comma:
      return walk(-1);
    case Qt::Key_Period:
      return walk(1);
    default:
      CanvasView::keyPressEvent(event);
  }
}

}  // namespace shardscope::inline window
