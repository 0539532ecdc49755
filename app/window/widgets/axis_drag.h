// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <functional>

namespace shardscope::inline window {

// A mesh axis to be dragged.
class AxisChip : public QLabel {
  Q_OBJECT
 public:
  AxisChip(const QString& axis, QWidget* parent);

 protected:
  void mouseMoveEvent(QMouseEvent* event) override;
};

// A dimension that axes are dropped on; a double click takes them off.
class DimensionSlot : public QLabel {
  Q_OBJECT
 public:
  explicit DimensionSlot(QWidget* parent);

 Q_SIGNALS:
  void axisDropped(const QString& axis);
  void cleared();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
};

}  // namespace shardscope::inline window
