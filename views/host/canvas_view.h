// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QPointF>
#include <QStringList>
#include <QWidget>
#include <cstdint>
#include <optional>

#include "views/scene/core/layouts.h"
#include "views/scene/core/scene.h"

namespace shardscope {

// A widget that shows a Scene and turns mouse and keyboard into hits on its items. Lays out only when told
// that something changed, draws only when the picture does: an idle canvas makes no frames. Input comes
// straight from Qt's events, each handled once, so no fast click or key is lost between two frames.
class CanvasView : public QWidget {
  Q_OBJECT
 public:
  explicit CanvasView(QWidget* parent = nullptr);

  const Scene& scene() const;  // laid out again when needed
  void invalidate();           // what the canvas shows changed
  int64_t frames() const { return frames_; }
  void setTheme(const Theme& theme);
  const Theme& theme() const { return theme_; }
  Canvas canvas() const;  // size, theme and text measure as layouts want them
  // The picture at a size of its own, for exports and demo mode.
  Scene sceneAt(const Canvas& canvas) const { return layout(canvas); }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  virtual Scene layout(const Canvas& canvas) const = 0;
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
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  ItemId hit(QPointF at) const;
  void hover(const ItemId& item, QPoint global);

  QWidget* surface_ = nullptr;
  Theme theme_;
  mutable Scene scene_;
  mutable bool dirty_ = true;
  int64_t frames_ = 0;
  ItemId hovered_;
  std::optional<QPointF> pressed_at_;
  QPointF last_;
  bool dragging_ = false;
};

// The platform key name of the physical place, so that WASD stays where it is on AZERTY and Dvorak. 0: not
// one of the keys that canvases use by place.
Qt::Key physical_key(const QKeyEvent& event);

}  // namespace shardscope
