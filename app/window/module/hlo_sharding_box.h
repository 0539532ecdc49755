// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QUndoStack>
#include <QWidget>

#include "app/window/module/hlo_canvases.h"

namespace shardscope::inline window {

// The sharding of the selected instruction: as tiles, as text that can be typed over, and where it comes
// from.
class HloShardingBox : public QWidget {
  Q_OBJECT
 public:
  explicit HloShardingBox(QWidget* parent = nullptr);
  // `own`: the instruction's own sharding as written, "" when propagation gave it; `origin`: why, in
  // sentences. A tuple has no array to draw.
  void setArray(std::optional<ShardedArray> array, const QString& own, const QStringList& origin);
  void setUndoStack(QUndoStack& stack);  // that the buttons go through
  void refuse(const QString& reason);    // of what was typed; "" takes it back
  TileCanvas* tiles() { return tiles_; }
  QLineEdit* field() { return field_; }
  QString formsText() const { return forms_->text(); }  // of the shown sharding: HLO, P(…), Shardy
  QString originText() const { return origin_->text(); }
  QString refusal() const { return refusal_->text(); }
  QToolButton* undoButton() { return undo_; }
  QToolButton* redoButton() { return redo_; }
  void edit();  // puts the cursor into the field

 Q_SIGNALS:
  void shardingTyped(const QString& text);

 private:
  TileCanvas* tiles_;
  QLineEdit* field_;
  QToolButton *undo_, *redo_;
  QLabel *refusal_, *forms_, *origin_;
};

}  // namespace shardscope::inline window
