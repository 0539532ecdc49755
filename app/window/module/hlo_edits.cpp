// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_edits.h"

#include <QKeyEvent>
#include <QMenu>
#include <QSignalBlocker>
#include <QTextBlock>
#include <QTextDocument>
#include <memory>
#include <utility>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

constexpr int kPauseMs = 400;

// A step that the text's own document keeps.
class TextChange : public QUndoCommand {
 public:
  explicit TextChange(QTextDocument& document) : QUndoCommand("the module's text"_tr), document_(document) {}
  void undo() override { document_.undo(); }
  void redo() override {
    if (!std::exchange(made_, true)) return;  // it was typed
    document_.redo();
  }

 private:
  QTextDocument& document_;
  bool made_ = false;
};

}  // namespace

class HloOptionsChange : public QUndoCommand {
 public:
  HloOptionsChange(HloEdits& edits, HloChoice from, HloChoice to)
      : QUndoCommand("the module's options"_tr), edits_(edits), from_(std::move(from)), to_(std::move(to)) {}
  void undo() override { edits_.apply(from_); }
  void redo() override { edits_.apply(to_); }

 private:
  HloEdits& edits_;
  HloChoice from_, to_;
};

// A line of a text that is not typed in.
class HloLineChange : public QUndoCommand {
 public:
  HloLineChange(HloEdits& edits, int line, std::string from, std::string to)
      : QUndoCommand("the module's text"_tr),
        edits_(edits),
        line_(line),
        from_(std::move(from)),
        to_(std::move(to)) {}
  void undo() override { edits_.apply(line_, from_); }
  void redo() override { edits_.apply(line_, to_); }

 private:
  HloEdits& edits_;
  int line_;
  std::string from_, to_;
};

HloEdits::HloEdits(HloTexts& texts, HloOptionsForm& options, QObject* parent)
    : QObject(parent), texts_(texts), source_(*texts.source()), options_(options), choice_(options.choice()) {
  pause_.setSingleShot(true);
  pause_.setInterval(kPauseMs);
  connect(&pause_, &QTimer::timeout, this, &HloEdits::tell);
  connect(source_.document(), &QTextDocument::undoCommandAdded, this,
          [this] { stack_.push(new TextChange(*source_.document())); });
  connect(&source_, &QPlainTextEdit::textChanged, this, [this] {
    if (source_.toPlainText() != told_) pause_.start();
  });
  connect(&options, &HloOptionsForm::changed, this, [this] {
    if (options_.choice() != choice_) stack_.push(new HloOptionsChange(*this, choice_, options_.choice()));
    tell();
  });
  source_.setContextMenuPolicy(Qt::CustomContextMenu);
  connect(&source_, &QWidget::customContextMenuRequested, this, &HloEdits::showMenu);
  takeKeys(&source_);
  takeKeys(texts_.readOnly());
}

void HloEdits::open(const IndexedTextPtr& text, const HloChoice& choice) {
  {
    const QSignalBlocker quiet(options_);
    options_.setChoice(choice);
    choice_ = options_.choice();
  }
  texts_.setText(text);
  stack_.clear();
  tell();
}

void HloEdits::takeKeys(QWidget* widget) {
  widget->installEventFilter(this);
}

void HloEdits::replaceLine(int line, const std::string& text) {
  if (texts_.isReadOnly())
    return stack_.push(new HloLineChange(*this, line, texts_.readOnly()->lineText(line), text));
  QTextCursor cursor(source_.document()->findBlockByNumber(line));
  cursor.beginEditBlock();
  cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
  cursor.insertText(QString::fromStdString(text));
  cursor.endEditBlock();
  tell();
}

void HloEdits::apply(int line, const std::string& text) {
  LineView& view = *texts_.readOnly();
  view.setText(std::make_shared<const IndexedText>(view.text()->withLine(line, text)));
  tell();
}

void HloEdits::flush() {
  if (pause_.isActive()) tell();
}

void HloEdits::apply(const HloChoice& choice) {
  choice_ = choice;
  options_.setChoice(choice);
}

void HloEdits::tell() {
  pause_.stop();
  told_ = source_.toPlainText();
  Q_EMIT changed();
}

// The text's own menu, with this undo.
void HloEdits::showMenu(const QPoint& at) {
  const std::unique_ptr<QMenu> menu(source_.createStandardContextMenu(at));
  for (QAction* action : menu->actions()) {
    const bool undoes = action->objectName() == "edit-undo", redoes = action->objectName() == "edit-redo";
    if (!undoes && !redoes) continue;
    action->disconnect();
    action->setEnabled(undoes ? stack_.canUndo() : stack_.canRedo());
    connect(action, &QAction::triggered, &stack_, undoes ? &QUndoStack::undo : &QUndoStack::redo);
  }
  menu->exec(source_.viewport()->mapToGlobal(at));
}

// A text would undo its own typing alone, and the window's undo would take these keys from the others.
bool HloEdits::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress)
    return QObject::eventFilter(watched, event);
  auto* key = static_cast<QKeyEvent*>(event);
  const bool undoes = key->matches(QKeySequence::Undo), redoes = key->matches(QKeySequence::Redo);
  if (!undoes && !redoes) return QObject::eventFilter(watched, event);
  event->accept();
  if (event->type() == QEvent::KeyPress) undoes ? stack_.undo() : stack_.redo();
  return true;
}

}  // namespace shardscope::inline window
