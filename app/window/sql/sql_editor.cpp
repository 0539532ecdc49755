// SPDX-License-Identifier: Apache-2.0
#include "app/window/sql/sql_editor.h"

#include <QAbstractItemView>
#include <QKeyEvent>
#include <QScrollBar>
#include <QStringListModel>
#include <QTextBlock>
#include <algorithm>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

constexpr int kLeastLetters = 2;
constexpr qsizetype kMostHistory = 100;

}  // namespace

SqlEditor::SqlEditor(QWidget* parent)
    : QPlainTextEdit(parent), completer_(new QCompleter(new QStringListModel(this), this)) {
  completer_->setWidget(this);
  completer_->setCaseSensitivity(Qt::CaseInsensitive);
  completer_->setCompletionMode(QCompleter::PopupCompletion);
  completer_->popup()->setAccessibleName("Names that fit"_tr);
  connect(completer_, qOverload<const QString&>(&QCompleter::activated), this, &SqlEditor::complete);
  setPlaceholderText("SELECT …"_tr);
  setAccessibleName("SQL"_tr);
  setToolTip(
      "Ctrl+Return asks; Alt+Up and Alt+Down bring back what was asked; names complete as you type"_tr);
  setTabChangesFocus(true);
  setLineWrapMode(QPlainTextEdit::WidgetWidth);
}

void SqlEditor::setWords(const QStringList& words) {
  static_cast<QStringListModel*>(completer_->model())->setStringList(words);
}

void SqlEditor::setHistory(const QStringList& asked) {
  history_ = asked;
  at_ = history_.size();
}

void SqlEditor::remember(const QString& sql) {
  history_.removeAll(sql);
  history_.append(sql);
  while (history_.size() > kMostHistory) history_.removeFirst();
  at_ = history_.size();
}

void SqlEditor::markError(int line, int column) {
  const QTextBlock block = document()->findBlockByNumber(line - 1);
  if (!block.isValid()) return;
  QTextCursor cursor(block);
  cursor.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor, std::min(column - 1, block.length() - 1));
  QTextCursor word = cursor;
  word.movePosition(QTextCursor::EndOfWord, QTextCursor::KeepAnchor);
  if (!word.hasSelection()) word.movePosition(QTextCursor::Right, QTextCursor::KeepAnchor);
  QTextEdit::ExtraSelection mark;
  mark.cursor = word;
  mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
  mark.format.setUnderlineColor(palette().color(QPalette::BrightText));
  mark.format.setForeground(palette().color(QPalette::BrightText));
  setExtraSelections({mark});
  setTextCursor(cursor);
}

void SqlEditor::insertName(const QString& name) {
  const QChar before = document()->characterAt(textCursor().position() - 1);
  insertPlainText(before.isLetterOrNumber() ? " " + name : name);
  setFocus();
}

QString SqlEditor::wordBeforeCursor() const {
  const QString line = textCursor().block().text().left(textCursor().positionInBlock());
  qsizetype start = line.size();
  while (start > 0 && (line[start - 1].isLetterOrNumber() || line[start - 1] == '_')) --start;
  return line.mid(start);
}

void SqlEditor::complete(const QString& chosen) {
  QTextCursor cursor = textCursor();
  cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor,
                      static_cast<int>(wordBeforeCursor().size()));
  cursor.insertText(chosen);
  setTextCursor(cursor);
}

void SqlEditor::offer() {
  const QString word = wordBeforeCursor();
  completer_->setCompletionPrefix(word);
  const bool whole = completer_->completionCount() == 1 && completer_->currentCompletion() == word;
  if (word.size() < kLeastLetters || completer_->completionCount() == 0 || whole)
    return completer_->popup()->hide();
  QRect box = cursorRect();
  box.setWidth(completer_->popup()->sizeHintForColumn(0) +
               completer_->popup()->verticalScrollBar()->sizeHint().width());
  completer_->popup()->setCurrentIndex(completer_->completionModel()->index(0, 0));
  completer_->complete(box);
}

void SqlEditor::walk(int by) {
  if (at_ == history_.size()) written_ = toPlainText();
  const qsizetype to = std::clamp<qsizetype>(at_ + by, 0, history_.size());
  if (to == at_) return;
  at_ = to;
  setPlainText(at_ == history_.size() ? written_ : history_[at_]);
  moveCursor(QTextCursor::End);
}

bool SqlEditor::focusNextPrevChild(bool next) {
  return !completer_->popup()->isVisible() && QPlainTextEdit::focusNextPrevChild(next);
}

void SqlEditor::keyPressEvent(QKeyEvent* event) {
  const bool open = completer_->popup()->isVisible();
  const int key = event->key();
  const bool takes = key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Tab;
  if (open && (takes || key == Qt::Key_Escape)) {
    if (takes) complete(completer_->popup()->currentIndex().data().toString());
    return completer_->popup()->hide();
  }
  if (event->modifiers() == Qt::AltModifier && (key == Qt::Key_Up || key == Qt::Key_Down))
    return walk(key == Qt::Key_Up ? -1 : 1);
  clearError();
  QPlainTextEdit::keyPressEvent(event);
  const bool typed = !event->text().isEmpty() && event->text()[0].isPrint();
  if (typed || (open && key == Qt::Key_Backspace))
    offer();
  else
    completer_->popup()->hide();
}

}  // namespace shardscope::inline window
