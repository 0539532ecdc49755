// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/chip/kernel_player.h"
#include "views/host/canvas_view.h"
#include "views/scene/chip/kernel_canvas.h"

namespace shardscope::inline window {

// One step of a kernel: its text, its devices, its copies. The wheel scrolls the text or zooms the devices,
// a drag pans them; a click lifts a device out or looks at a finding.
class KernelCanvas : public CanvasView {
  Q_OBJECT
 public:
  explicit KernelCanvas(KernelPlayer& player, QWidget* parent = nullptr);
  const KernelViewport& viewport() const { return viewport_; }
  void setMessage(const QString& text, bool broken);  // said while there is nothing to step through
  KernelViewInput input() const;    // what is drawn; of a kernel that can be stepped through
  void select(const ItemId& item);  // what is selected already is let go of
  void follow(const ItemId& item) { itemClicked(item); }
  void showLine(int line);  // of the listing, from 1; 0: none
  void scrollLines(int by);
  void zoomBy(double factor) { zoomAt({width() * 0.7, height() * 0.5}, factor); }
  void fitAll();

 Q_SIGNALS:
  void selectionChanged();

 protected:
  Scene layout(const Canvas& canvas) const override;
  QStringList tooltip(const ItemId& item) const override;
  void itemHovered(const ItemId& item) override;
  void itemClicked(const ItemId& item) override;
  bool dragStarted(QPointF at, Qt::MouseButton button) override;
  void dragged(QPointF from, QPointF at, QPointF by) override;
  void wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void zoomAt(QPointF at, double factor);
  QStringList numbers(const ItemId& item) const;

  KernelPlayer& player_;
  KernelViewport viewport_;
  QString message_;
  bool broken_ = false;
};

}  // namespace shardscope::inline window
