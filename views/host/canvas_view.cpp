// SPDX-License-Identifier: Apache-2.0
#include "views/host/canvas_view.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QStyleHints>
#include <QToolTip>
#include <QWheelEvent>

namespace shardscope::inline views {

CanvasView::CanvasView(QWidget* parent) : SceneView(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
}

ItemId CanvasView::hit(QPointF at) const {
  const auto found = scene().hit({static_cast<float>(at.x()), static_cast<float>(at.y())});
  return found ? *found : ItemId{};
}

void CanvasView::hover(const ItemId& item, QPoint global) {
  const bool changed = item != hovered_;
  hovered_ = item;
  if (changed) itemHovered(item);
  if (!changed) return;
  const QStringList lines = item.kind == ItemId::Kind::none ? QStringList() : tooltip(item);
  if (lines.isEmpty()) {
    QToolTip::hideText();
  } else {
    const QString text = lines.join('\n');
    QToolTip::showText(global, reading() ? QString::fromStdString(reading()(text.toStdString())) : text,
                       this);
  }
}

void CanvasView::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  pressed_at_ = last_ = event->position();
  dragging_ = dragStarted(event->position(), event->button());
}

void CanvasView::mouseMoveEvent(QMouseEvent* event) {
  const QPointF at = event->position();
  if (pressed_at_ && dragging_) {
    dragged(*pressed_at_, at, at - last_);
    last_ = at;
    return;
  }
  hover(hit(at), event->globalPosition().toPoint());
}

void CanvasView::mouseReleaseEvent(QMouseEvent* event) {
  if (!pressed_at_) return;
  const bool still = (event->position() - *pressed_at_).manhattanLength() <
                     QGuiApplication::styleHints()->startDragDistance();
  if (dragging_) dragEnded(event->position());
  dragging_ = false;
  pressed_at_.reset();
  if (still && event->button() == Qt::LeftButton) itemClicked(hit(event->position()));
}

void CanvasView::mouseDoubleClickEvent(QMouseEvent* event) {
  itemDoubleClicked(hit(event->position()));
}

void CanvasView::leaveEvent(QEvent* /*event*/) {
  hover({}, {});
}

void CanvasView::wheelEvent(QWheelEvent* event) {
  const QPointF steps = QPointF(event->angleDelta()) / 120.0;
  wheeled(event->position(), steps, event->modifiers());
  event->accept();
}

Qt::Key physical_key(const QKeyEvent& event) {
  // X11 and Wayland scan codes are evdev codes + 8; other platforms fall back to the key's own name.
  const QString platform = QGuiApplication::platformName();
  if (platform == "xcb" || platform.startsWith("wayland")) {
    switch (event.nativeScanCode()) {
      case 25:
        return Qt::Key_W;
      case 38:
        return Qt::Key_A;
      case 39:
        return Qt::Key_S;
      case 40:
        return Qt::Key_D;
      default:
        break;
    }
  }
  const int key = event.key();
  const bool by_place = key == Qt::Key_W || key == Qt::Key_A || key == Qt::Key_S || key == Qt::Key_D;
  // With a scan code in hand a letter that stands elsewhere on this layout is not the one by place.
  if (by_place && (event.nativeScanCode() == 0 || !(platform == "xcb" || platform.startsWith("wayland")))) {
    return static_cast<Qt::Key>(key);
  }
  return static_cast<Qt::Key>(0);
}

}  // namespace shardscope::inline views
