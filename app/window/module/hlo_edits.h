// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTimer>
#include <QUndoStack>

#include "app/window/module/hlo_options.h"
#include "app/window/module/hlo_text_view.h"

namespace shardscope {

// The one undo of the HLO dock: typing, edits of shardings and changes of the options are steps of one stack.
class HloEdits : public QObject {
  Q_OBJECT
 public:
  HloEdits(HloTextView& source, HloOptionsForm& options, QObject* parent = nullptr);
  QUndoStack& stack() { return stack_; }
  void open(const QString& text);                   // another module; forgets the steps
  void takeKeys(QWidget* widget);                   // undo and redo pressed in `widget` are this stack's
  void replaceLine(int line, const QString& text);  // one step; the cursor stays
  void flush();                                     // what was typed is told now, without waiting for a pause

 Q_SIGNALS:
  void changed();  // after a pause in typing

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  friend class HloOptionsChange;
  void apply(const HloChoice& choice);
  void tell();
  void showMenu(const QPoint& at);

  HloTextView& source_;
  HloOptionsForm& options_;
  QUndoStack stack_;
  QTimer pause_;
  QString told_;
  HloChoice choice_;
};

}  // namespace shardscope
