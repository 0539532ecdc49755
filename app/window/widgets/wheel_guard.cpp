// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/wheel_guard.h"

#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

namespace shardscope::inline window {
namespace {

// The field that `object` is or is a part of, whose value a wheel would change; null: none.
QWidget* field_of(QObject* object) {
  auto* widget = qobject_cast<QWidget*>(object);
  for (int up = 0; widget != nullptr && up < 2; ++up, widget = widget->parentWidget()) {
    const bool slider =
        qobject_cast<QAbstractSlider*>(widget) != nullptr && qobject_cast<QScrollBar*>(widget) == nullptr;
    if (slider || qobject_cast<QAbstractSpinBox*>(widget) != nullptr ||
        qobject_cast<QComboBox*>(widget) != nullptr)
      return widget;
  }
  return nullptr;
}

bool chosen_by(Qt::FocusReason reason) {
  return reason == Qt::MouseFocusReason || reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason ||
         reason == Qt::ShortcutFocusReason;
}

// The focus comes back to the field that had it.
bool is_away(Qt::FocusReason reason) {
  return reason == Qt::ActiveWindowFocusReason || reason == Qt::PopupFocusReason ||
         reason == Qt::MenuBarFocusReason;
}

// The editor of a table's cell stands in its viewport.
bool in_a_cell(const QWidget& field) {
  const QWidget* around = field.parentWidget();
  return around != nullptr && qobject_cast<const QAbstractItemView*>(around->parentWidget()) != nullptr;
}

// A list is gone through by letters, too.
bool changes_value(const QWidget* field, const QKeyEvent& event) {
  if (in_a_cell(*field)) return false;
  const auto* list = qobject_cast<const QComboBox*>(field);
  if (list == nullptr && qobject_cast<const QAbstractSpinBox*>(field) == nullptr) return false;
  const int key = event.key();
  if (list != nullptr && !list->isEditable() && !event.text().trimmed().isEmpty()) return true;
  return key == Qt::Key_Home || key == Qt::Key_End || key == Qt::Key_PageUp || key == Qt::Key_PageDown ||
         key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_Left || key == Qt::Key_Right;
}

// What scrolls when the wheel turns over `widget`; null: nothing.
QWidget* scrolled_by(QWidget* widget) {
  for (QWidget* each = widget->parentWidget(); each != nullptr; each = each->parentWidget()) {
    if (auto* area = qobject_cast<QAbstractScrollArea*>(each)) return area->viewport();
  }
  return nullptr;
}

void pass_on(const QWheelEvent& wheel, QWidget* from) {
  QWidget* to = scrolled_by(from);
  if (to == nullptr) return;
  QWheelEvent again(to->mapFromGlobal(wheel.globalPosition()), wheel.globalPosition(), wheel.pixelDelta(),
                    wheel.angleDelta(), wheel.buttons(), wheel.modifiers(), wheel.phase(), wheel.inverted());
  QCoreApplication::sendEvent(to, &again);
}

}  // namespace

WheelGuard::WheelGuard(QObject* parent) : QObject(parent) {
  qApp->installEventFilter(this);
}

bool WheelGuard::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::MouseButtonPress:
      if (watched->isWidgetType()) clicked_ = field_of(watched);
      return false;
    case QEvent::FocusIn:
      if (watched->isWidgetType() && chosen_by(static_cast<QFocusEvent*>(event)->reason()))
        gone_to_ = field_of(watched);
      return false;
    case QEvent::FocusOut:
      if (is_away(static_cast<QFocusEvent*>(event)->reason())) return false;
      if (watched == clicked_) clicked_ = nullptr;
      if (watched == gone_to_) gone_to_ = nullptr;
      return false;
    case QEvent::KeyPress: {
      const QWidget* field = field_of(watched);
      if (field == nullptr || field == gone_to_ || field == clicked_ || field != watched) return false;
      if (!changes_value(field, *static_cast<QKeyEvent*>(event))) return false;
      event->ignore();  // Qt gives it to what the field is in
      return true;
    }
    case QEvent::Wheel: {
      QWidget* field = field_of(watched);
      if (field == nullptr || field == clicked_) return false;
      pass_on(*static_cast<QWheelEvent*>(event), field);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace shardscope::inline window
