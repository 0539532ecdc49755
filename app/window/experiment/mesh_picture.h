// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainterPath>
#include <QWidget>
#include <vector>

#include "engine/hardware/overrides.h"
#include "engine/mesh/mesh.h"
#include "views/scene/core/theme.h"

namespace shardscope::inline window {

// Along one side of the picture: all of `count` places, or the first and the last with a gap between.
struct FoldedSide {
  int64_t count = 1, first = 1, slots = 1;
  bool shows(int64_t at) const { return at < first || at == count - 1; }
  int64_t slot(int64_t at) const { return at < first ? at : at == count - 1 ? slots - 1 : first; }
};
struct FoldedMesh {
  FoldedSide across, down;
  bool shows(int64_t chip) const {
    return across.shows(chip % across.count) && down.shows(chip / across.count);
  }
};

// The mesh as chips with their links; the number on a chip is the logical device that runs on it. Dragging
// one device onto another swaps them; a click on a chip or a link asks for its speed. Slow chips are striped,
// slow links dashed, broken ones crossed, each with its share beside it. Arrow keys walk over the chips,
// Enter asks for a chip's speed, Shift+arrow for that of the link in this direction. Of a large mesh the
// middle is folded away: what is drawn stays large enough to be read and hit.
class MeshPicture : public QWidget {
  Q_OBJECT
 public:
  explicit MeshPicture(QWidget* parent = nullptr);
  void setMesh(const Mesh& mesh, const HardwareOverrides& overrides);
  void setTheme(const Theme& theme);
  QSize sizeHint() const override;
  QPointF placeOf(int64_t chip) const;              // where it is drawn
  QPointF placeOfLink(int64_t a, int64_t b) const;  // its middle

 Q_SIGNALS:
  void devicesSwapped(int a, int b);            // logical ids
  void chipChosen(qint64 chip, QPoint global);  // by row-major place
  void linkChosen(qint64 a, qint64 b, QPoint global);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  struct Link {
    int64_t a, b;
    int axis;
    QPainterPath path;
  };
  FoldedMesh folded() const;
  bool drawn() const;  // few enough chips to draw each
  std::vector<Link> links() const;
  double cell() const;
  int64_t chipAt(QPointF at) const;  // -1: none
  const Link* linkAt(QPointF at) const;
  int64_t neighbour(int64_t chip, int key) const;
  void paintLinks(QPainter& painter) const;
  void paintChips(QPainter& painter) const;
  QString words(QPointF at) const;

  Mesh mesh_;
  HardwareOverrides overrides_;
  Theme theme_;
  std::vector<int> device_on_;       // by chip
  mutable std::vector<Link> links_;  // laid out for links_size_
  mutable QSize links_size_;
  int64_t rows_ = 1, cols_ = 1;
  int64_t pressed_ = -1, walked_ = 0;
  bool dragging_ = false;
  QPointF pressed_at_, cursor_;
};

}  // namespace shardscope::inline window
