// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/wheel_guard.h"

#include <QAbstractScrollArea>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

namespace shardscope {
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
    case QEvent::FocusOut:
      if (watched == clicked_) clicked_ = nullptr;
      return false;
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

}  // namespace shardscope
