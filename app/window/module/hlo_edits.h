// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTimer>
#include <QUndoStack>

#include "app/window/module/hlo_options.h"
#include "app/window/module/hlo_texts.h"

namespace shardscope::inline window {

// The one undo of the HLO dock: typing, edits of shardings and changes of the options are steps of one stack.
class HloEdits : public QObject {
  Q_OBJECT
 public:
  HloEdits(HloTexts& texts, HloOptionsForm& options, QObject* parent = nullptr);
  QUndoStack& stack() { return stack_; }
  // Another module, with what it is partitioned by; forgets the steps.
  void open(const IndexedTextPtr& text, const HloChoice& choice);
  void open(const IndexedTextPtr& text) { open(text, choice_); }
  const HloChoice& choice() const { return choice_; }
  HloTexts& texts() { return texts_; }
  void takeKeys(QWidget* widget);  // undo and redo pressed in `widget` are this stack's
  // One step; the cursor stays.
  void replaceLine(int line, const std::string& text);
  void flush();  // what was typed is told now, without waiting for a pause

 Q_SIGNALS:
  void changed();  // after a pause in typing

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  friend class HloOptionsChange;
  friend class HloLineChange;
  void apply(const HloChoice& choice);
  void apply(int line, const std::string& text);
  void tell();
  void showMenu(const QPoint& at);

  HloTexts& texts_;
  HloTextView& source_;
  HloOptionsForm& options_;
  QUndoStack stack_;
  QTimer pause_;
  QString told_;
  HloChoice choice_;
};

}  // namespace shardscope::inline window
