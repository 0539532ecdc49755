// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QUndoStack>
#include <QWidget>

#include "app/window/chip/grouped_canvas.h"

namespace shardscope::inline window {

// Group sizes, tile and shard of a grouped matmul, typed or dragged, and their schedule, which changes at
// once. Edits have an undo of their own.
class GroupedPanel : public QWidget {
  Q_OBJECT
 public:
  explicit GroupedPanel(QWidget* parent = nullptr);
  void setTheme(const Theme& theme);
  const GroupedRows& rows() const { return rows_; }
  GroupedCanvas* canvas() { return canvas_; }
  QLineEdit* sizes() { return sizes_; }
  QSpinBox* tile() { return tile_; }
  QLabel* problem() { return problem_; }  // why there is no schedule; hidden when there is one
  QUndoStack& undoStack() { return undo_; }

 private:
  friend class GroupedEdit;
  void readFields();
  void showRows(const GroupedRows& rows);  // everywhere but in a field that is being typed in
  void edit(const GroupedRows& rows, int merge_id);

  GroupedRows rows_;
  bool showing_ = false;
  int drags_ = 0;
  QUndoStack undo_;
  QLineEdit* sizes_;
  QSpinBox *tile_, *first_, *local_;
  QCheckBox* empty_;
  QLabel* problem_;
  GroupedCanvas* canvas_;
};

}  // namespace shardscope::inline window
