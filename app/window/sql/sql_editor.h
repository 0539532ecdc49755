// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCompleter>
#include <QPlainTextEdit>
#include <QStringList>

namespace shardscope::inline window {

// A query being written: completes names and keywords as they are typed, Alt+Up and Alt+Down walk through
// what was asked before, and it marks where SQL is wrong.
class SqlEditor : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit SqlEditor(QWidget* parent = nullptr);
  void setWords(const QStringList& words);
  QCompleter* completer() { return completer_; }
  // Asked last is last.
  void setHistory(const QStringList& asked);
  const QStringList& history() const { return history_; }
  void remember(const QString& sql);
  void markError(int line, int column);  // both from 1
  void clearError() { setExtraSelections({}); }
  void insertName(const QString& name);  // where the cursor is

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool focusNextPrevChild(bool next) override;  // Tab takes the name that is offered

 private:
  QString wordBeforeCursor() const;
  void complete(const QString& chosen);
  void offer();
  void walk(int by);

  QCompleter* completer_;
  QStringList history_;
  qsizetype at_ = 0;  // in the history; its size: what is being written
  QString written_;
};

}  // namespace shardscope::inline window
