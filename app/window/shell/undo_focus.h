// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QUndoGroup>

#include "app/window/docks/dock_area.h"

namespace shardscope::inline window {

// Ctrl+Z undoes in what has the focus: the dock's own edits where it keeps some, else the experiment's. A
// field takes the key first only while it has typing of its own to take back.
class UndoFocus : public QObject {
 public:
  UndoFocus(QUndoGroup& group, DockArea& docks, QUndoStack& experiment);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow(const QWidget* focus);

  QUndoGroup& group_;
  const DockArea& docks_;
  QUndoStack& experiment_;
};

}  // namespace shardscope::inline window
