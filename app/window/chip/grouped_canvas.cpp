// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/grouped_canvas.h"

#include <QKeyEvent>
#include <algorithm>

#include "app/window/document/language.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline window {

GroupedCanvas::GroupedCanvas(QWidget* parent) : CanvasView(parent) {
  setObjectName("Grouped");
  setAccessibleName("Schedule of the grouped matmul"_tr);
}

void GroupedCanvas::setSchedule(std::optional<GroupMetadata> schedule) {
  schedule_ = std::move(schedule);
  if (!schedule_ || viewport_.boundary >= schedule_->groups()) viewport_.boundary = -1;
  if (!schedule_ || viewport_.step >= schedule_->num_tiles) viewport_.step = -1;
  invalidate();
}

Scene GroupedCanvas::layout(const Canvas& canvas) const {
  if (schedule_) return layout_grouped(*schedule_, viewport_, canvas);
  Scene scene;
  Pen pen(scene, canvas);
  pen.empty_state(said("Which tile of rows works for which group"), said("The sizes do not fit: see above."));
  return scene;
}

QStringList GroupedCanvas::tooltip(const ItemId& item) const {
  QStringList lines;
  if (!schedule_) return lines;
  for (const std::string& line : describe(*schedule_, item)) lines << QString::fromStdString(line);
  return lines;
}

void GroupedCanvas::itemHovered(const ItemId& item) {
  const int64_t step = item.kind == ItemId::Kind::block ? item.index : -1;
  setCursor(item.kind == ItemId::Kind::handle ? Qt::SplitHCursor : Qt::ArrowCursor);
  if (viewport_.step == step) return;
  viewport_.step = step;
  invalidate();
}

void GroupedCanvas::itemClicked(const ItemId& item) {
  choose(item.kind == ItemId::Kind::handle ? item.index : -1);
}

void GroupedCanvas::choose(int64_t boundary) {
  viewport_.boundary = boundary;
  invalidate();
}

int64_t GroupedCanvas::rowOf(int64_t boundary) const {
  return schedule_->group_offsets[static_cast<size_t>(boundary)];
}

int64_t GroupedCanvas::movable(int64_t boundary, bool right) const {
  const int64_t row = rowOf(boundary);
  while (right && boundary + 1 < schedule_->groups() && rowOf(boundary + 1) == row) ++boundary;
  while (!right && boundary > 1 && rowOf(boundary - 1) == row) --boundary;
  return boundary;
}

void GroupedCanvas::move(int64_t row) {
  if (row != rowOf(viewport_.boundary)) Q_EMIT boundaryMoved(viewport_.boundary, row);
}

bool GroupedCanvas::dragStarted(QPointF at, Qt::MouseButton button) {
  if (!schedule_ || button != Qt::LeftButton) return false;
  const auto hit = scene().hit({static_cast<float>(at.x()), static_cast<float>(at.y())});
  if (!hit || hit->kind != ItemId::Kind::handle) return false;
  choose(hit->index);
  chosen_by_drag_ = true;
  return true;
}

void GroupedCanvas::dragged(QPointF /*from*/, QPointF at, QPointF /*by*/) {
  if (!schedule_ || viewport_.boundary < 1) return;
  const int64_t row = grouped_axis(*schedule_, canvas()).row_at(static_cast<float>(at.x()));
  if (row == rowOf(viewport_.boundary)) return;
  if (chosen_by_drag_) viewport_.boundary = movable(viewport_.boundary, row > rowOf(viewport_.boundary));
  chosen_by_drag_ = false;
  move(row);
}

void GroupedCanvas::dragEnded(QPointF /*at*/) {
  Q_EMIT moveEnded();
}

// The window's own undo would take these keys first.
bool GroupedCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
      event->accept();
      return true;
    }
  }
  return CanvasView::event(event);
}

void GroupedCanvas::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Undo)) return Q_EMIT undoRequested();
  if (event->matches(QKeySequence::Redo)) return Q_EMIT redoRequested();
  const int64_t last = schedule_ ? schedule_->groups() - 1 : 0;
  if (last < 1) return CanvasView::keyPressEvent(event);
  const int64_t at = viewport_.boundary;
  const int64_t by = (event->modifiers() & Qt::ShiftModifier) != 0 ? schedule_->tm : 1;
  switch (event->key()) {
    case Qt::Key_Up:
      return choose(at < 1 ? last : std::max<int64_t>(1, at - 1));
    case Qt::Key_Down:
      return choose(at < 1 ? 1 : std::min(last, at + 1));
    case Qt::Key_Escape:
      return choose(-1);
    case Qt::Key_Left:
    case Qt::Key_Right:
      if (at < 1) return choose(1);
      move(std::clamp<int64_t>(rowOf(at) + (event->key() == Qt::Key_Left ? -by : by), 0, schedule_->m));
      return Q_EMIT moveEnded();
    default:
      return CanvasView::keyPressEvent(event);
  }
}

}  // namespace shardscope::inline window
