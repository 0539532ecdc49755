// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <vector>

#include "engine/mesh/mesh.h"
#include "views/scene/theme.h"

namespace shardscope {

// The mesh as chips with their links; the number on a chip is the logical device that runs on it. Dragging
// one device onto another swaps them.
class MeshPicture : public QWidget {
  Q_OBJECT
 public:
  explicit MeshPicture(QWidget* parent = nullptr);
  void setMesh(const Mesh& mesh);
  void setTheme(const Theme& theme);
  QSize sizeHint() const override;

 Q_SIGNALS:
  void devicesSwapped(int a, int b);  // logical ids

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  QPointF placeOf(int64_t chip) const;
  double cell() const;
  int deviceAt(QPointF at) const;

  Mesh mesh_;
  Theme theme_;
  std::vector<int> device_on_;  // by chip
  int64_t rows_ = 1, cols_ = 1;
  int dragged_ = -1;
  QPointF cursor_;
};

}  // namespace shardscope
