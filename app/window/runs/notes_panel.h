// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPushButton>
#include <QTableWidget>
#include <QWidget>

#include "app/window/document/notes.h"

namespace shardscope::inline window {

// The notes of the shown run, one a row: written here, gone to, taken away.
class NotesPanel : public QWidget {
  Q_OBJECT
 public:
  NotesPanel(Notes& notes, Clock& clock, QWidget* parent = nullptr);
  QTableWidget* table() { return table_; }
  QUndoStack& undoStack() { return notes_.undoStack(); }
  void addHere();  // at the moment, of the event or device that is selected; its text is to be written

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void read();
  void removeRow();

  Notes& notes_;
  Clock& clock_;
  QTableWidget* table_;
  QPushButton *add_, *go_, *remove_;
};

}  // namespace shardscope::inline window
