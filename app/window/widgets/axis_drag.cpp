// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/axis_drag.h"

#include <QDrag>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QMouseEvent>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kAxisMime = "application/x-shardscope-axis";

}  // namespace

AxisChip::AxisChip(const QString& axis, QWidget* parent) : QLabel(axis, parent) {
  setProperty("role", "chip");
  setCursor(Qt::OpenHandCursor);
  setToolTip("Drag onto a dimension to split it along "_tr + axis);
}

void AxisChip::mouseMoveEvent(QMouseEvent* event) {
  if (!event->buttons().testFlag(Qt::LeftButton)) return;
  auto* mime = new QMimeData;
  mime->setData(kAxisMime, text().toUtf8());
  auto* drag = new QDrag(this);
  drag->setMimeData(mime);
  drag->setPixmap(grab());
  drag->exec(Qt::CopyAction);
}

DimensionSlot::DimensionSlot(QWidget* parent) : QLabel(parent) {
  setProperty("role", "slot");
  setAcceptDrops(true);
  setToolTip("Drop a mesh axis here; double click takes it off"_tr);
}

void DimensionSlot::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasFormat(kAxisMime)) event->acceptProposedAction();
}

void DimensionSlot::dropEvent(QDropEvent* event) {
  Q_EMIT axisDropped(QString::fromUtf8(event->mimeData()->data(kAxisMime)));
  event->acceptProposedAction();
}

void DimensionSlot::mouseDoubleClickEvent(QMouseEvent* /*event*/) {
  Q_EMIT cleared();
}

}  // namespace shardscope::inline window
