// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/undo_focus.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolBar>

namespace shardscope::inline window {
namespace {

const QLineEdit* field_of(QObject* object) {
  if (const auto* field = qobject_cast<QLineEdit*>(object)) return field;
  const auto* spin = qobject_cast<QAbstractSpinBox*>(object);
  return spin == nullptr ? nullptr : spin->findChild<QLineEdit*>();
}

bool in_tool_bar(const QWidget* widget) {
  while (widget != nullptr && qobject_cast<const QToolBar*>(widget) == nullptr)
    widget = widget->parentWidget();
  return widget != nullptr;
}

}  // namespace

UndoFocus::UndoFocus(QUndoGroup& group, DockArea& docks, QUndoStack& experiment)
    : group_(group), docks_(docks), experiment_(experiment) {
  group_.addStack(&experiment_);
  when_made(docks, this, [this](const DockArea::Made& made) {
    if (made.row->undo) group_.addStack(made.row->undo(made.widget));
  });
  group_.setActiveStack(&experiment_);
  connect(qApp, &QApplication::focusChanged, this,
          [this](QWidget* /*before*/, QWidget* now) { follow(now); });
  qApp->installEventFilter(this);
}

// The focus of a menu or of another window changes nothing.
void UndoFocus::follow(const QWidget* focus) {
  const DockArea::Made* made = docks_.at(focus);
  if (made == nullptr && !in_tool_bar(focus)) return;
  group_.setActiveStack(made != nullptr && made->row->undo ? made->row->undo(made->widget) : &experiment_);
}

bool UndoFocus::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride) return false;
  const auto* key = static_cast<QKeyEvent*>(event);
  const QLineEdit* field = field_of(watched);
  if (field == nullptr) return false;
  const bool mine = (key->matches(QKeySequence::Undo) && !field->isUndoAvailable()) ||
                    (key->matches(QKeySequence::Redo) && !field->isRedoAvailable());
  if (mine) event->ignore();
  return mine;
}

}  // namespace shardscope::inline window
