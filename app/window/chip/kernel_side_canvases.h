// SPDX-License-Identifier: Apache-2.0
// What stands beside the kernel canvas: the broken text and its mended twin, and the kernel's time.
#pragma once

#include "app/window/chip/kernel_player.h"
#include "views/host/canvas_view.h"
#include "views/scene/chip/kernel_time_view.h"

namespace shardscope::inline window {

// The wheel, Up and Down scroll both texts.
class KernelFixCanvas : public CanvasView {
  Q_OBJECT
 public:
  explicit KernelFixCanvas(KernelPlayer& player, QWidget* parent = nullptr);

 protected:
  Scene layout(const Canvas& canvas) const override;
  void wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void scroll(int by);

  KernelPlayer& player_;
  int first_row_ = 0;
};

// The wheel zooms at the cursor, a drag pans, Home fits all; Up and Down choose whose vmem and semaphores are
// drawn, as does a click.
class KernelTimeCanvas : public CanvasView {
  Q_OBJECT
 public:
  explicit KernelTimeCanvas(KernelPlayer& player, QWidget* parent = nullptr);
  const KernelTimeViewport& viewport() const { return viewport_; }
  void setMessage(const QString& text);  // said while there is no kernel

 Q_SIGNALS:
  void lineChosen(int line);  // of the event that was clicked

 protected:
  Scene layout(const Canvas& canvas) const override;
  QStringList tooltip(const ItemId& item) const override;
  void itemClicked(const ItemId& item) override;
  bool dragStarted(QPointF at, Qt::MouseButton button) override;
  void dragged(QPointF from, QPointF at, QPointF by) override;
  void wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  const KernelTime* time() const;
  void zoom(double x, double factor);
  void show(TimeRange range);
  void choose(int device);

  KernelPlayer& player_;
  KernelTimeViewport viewport_;
  QString message_;
};

}  // namespace shardscope::inline window
