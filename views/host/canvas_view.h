// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointF>
#include <QStringList>
#include <optional>

#include "views/host/scene_view.h"

namespace shardscope::inline views {

// A view of a Scene that turns mouse and keyboard into hits on its items. Input comes straight from Qt's
// events, each handled once, so no fast click or key is lost between two frames.
class CanvasView : public SceneView {
  Q_OBJECT
 public:
  explicit CanvasView(QWidget* parent = nullptr);
  static constexpr double kZoomPerStep = 1.25;  // of the wheel or of a key

 protected:
  virtual QStringList tooltip(const ItemId& /*item*/) const { return {}; }
  virtual void itemHovered(const ItemId& /*item*/) {}  // Kind::none: nothing
  virtual void itemClicked(const ItemId& /*item*/) {}  // Kind::none: the background
  virtual void itemDoubleClicked(const ItemId& /*item*/) {}
  virtual bool dragStarted(QPointF /*at*/, Qt::MouseButton /*button*/) { return false; }
  virtual void dragged(QPointF /*from*/, QPointF /*at*/, QPointF /*by*/) {}  // `by` since the last call
  virtual void dragEnded(QPointF /*at*/) {}
  virtual void wheeled(QPointF /*at*/, QPointF /*steps*/, Qt::KeyboardModifiers /*modifiers*/) {}

  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  ItemId hit(QPointF at) const;
  void hover(const ItemId& item, QPoint global);

  ItemId hovered_;
  std::optional<QPointF> pressed_at_;
  QPointF last_;
  bool dragging_ = false;
};

// The platform key name of the physical place, so that WASD stays where it is on AZERTY and Dvorak. 0: not
// one of the keys that canvases use by place.
Qt::Key physical_key(const QKeyEvent& event);

}  // namespace shardscope::inline views
