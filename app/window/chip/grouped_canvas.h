// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "views/host/canvas_view.h"
#include "views/scene/chip/layout_grouped.h"

namespace shardscope::inline window {

// The schedule of a grouped matmul. Boundaries between groups are dragged, or chosen with up and down and
// moved with left and right (Shift: by a tile).
class GroupedCanvas : public CanvasView {
  Q_OBJECT
 public:
  explicit GroupedCanvas(QWidget* parent = nullptr);
  void setSchedule(std::optional<GroupMetadata> schedule);  // none: the sizes do not fit
  int64_t boundary() const { return viewport_.boundary; }

 Q_SIGNALS:
  void boundaryMoved(qint64 boundary, qint64 row);
  void moveEnded();  // the moves since the last one are one edit
  void undoRequested();
  void redoRequested();

 protected:
  Scene layout(const Canvas& canvas) const override;
  QStringList tooltip(const ItemId& item) const override;
  void itemHovered(const ItemId& item) override;
  void itemClicked(const ItemId& item) override;
  bool dragStarted(QPointF at, Qt::MouseButton button) override;
  void dragged(QPointF from, QPointF at, QPointF by) override;
  void dragEnded(QPointF at) override;
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void choose(int64_t boundary);
  int64_t rowOf(int64_t boundary) const;
  // Of the boundaries at one row (empty groups between them) the one that can move that way.
  int64_t movable(int64_t boundary, bool right) const;
  void move(int64_t row);

  std::optional<GroupMetadata> schedule_;
  GroupedViewport viewport_;
  bool chosen_by_drag_ = false;
};

}  // namespace shardscope::inline window
