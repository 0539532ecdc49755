// SPDX-License-Identifier: Apache-2.0
#include "tests/app/use/touch.h"

#include <QApplication>
#include <QTest>
#include <QWindow>

namespace shardscope {

const std::vector<QString> kTyped = {"1",
                                     "2",
                                     "3",
                                     "4",
                                     "8",
                                     "16",
                                     "64",
                                     "100",
                                     "256",
                                     "1000",
                                     "4096",
                                     "100000",
                                     "0",
                                     "-1",
                                     "1e3",
                                     "abc",
                                     "",
                                     "P('row')",
                                     "row=2",
                                     "é√ 漢",
                                     "2x",
                                     "'",
                                     "%",
                                     "1 ns",
                                     "SELECT * FROM run",
                                     "SELECT name, count(*) FROM instruction GROUP BY name",
                                     "99999999999999999999",
                                     "P('row','col')",
                                     "all-gather"};
const std::vector<Qt::Key> kKeys = {Qt::Key_W,
                                    Qt::Key_A,
                                    Qt::Key_S,
                                    Qt::Key_D,
                                    Qt::Key_F,
                                    Qt::Key_M,
                                    Qt::Key_1,
                                    Qt::Key_2,
                                    Qt::Key_Comma,
                                    Qt::Key_Period,
                                    Qt::Key_Space,
                                    Qt::Key_Tab,
                                    Qt::Key_Backtab,
                                    Qt::Key_Return,
                                    Qt::Key_Escape,
                                    Qt::Key_Up,
                                    Qt::Key_Down,
                                    Qt::Key_Left,
                                    Qt::Key_Right,
                                    Qt::Key_Home,
                                    Qt::Key_End,
                                    Qt::Key_PageUp,
                                    Qt::Key_PageDown,
                                    Qt::Key_Delete,
                                    Qt::Key_Backspace,
                                    Qt::Key_Plus,
                                    Qt::Key_Minus,
                                    Qt::Key_BracketLeft,
                                    Qt::Key_BracketRight,
                                    Qt::Key_Slash,
                                    Qt::Key_Question,
                                    Qt::Key_F2,
                                    Qt::Key_Menu,
                                    Qt::Key_K,
                                    Qt::Key_Z,
                                    Qt::Key_C,
                                    Qt::Key_V,
                                    Qt::Key_R,
                                    Qt::Key_E};
const std::vector<Qt::KeyboardModifiers> kModifiers = {Qt::NoModifier,
                                                       Qt::NoModifier,
                                                       Qt::NoModifier,
                                                       Qt::ShiftModifier,
                                                       Qt::ControlModifier,
                                                       Qt::AltModifier,
                                                       Qt::ControlModifier | Qt::ShiftModifier};

void mouse(QEvent::Type type, const QPointer<QWidget>& widget, QPoint at, Qt::MouseButton button,
           Qt::KeyboardModifiers modifiers) {
  if (!widget || !widget->isVisible()) return;
  QWindow* window = widget->window()->windowHandle();
  if (window == nullptr) return;
  const QPoint in = widget->mapTo(widget->window(), at);
  switch (type) {
    case QEvent::MouseButtonPress:
      return QTest::mousePress(window, button, modifiers, in);
    case QEvent::MouseButtonRelease:
      return QTest::mouseRelease(window, button, modifiers, in);
    case QEvent::MouseButtonDblClick:
      return QTest::mouseDClick(window, button, modifiers, in);
    default:
      return QTest::mouseMove(window, in);
  }
}

// Each press and release goes to the window that has the focus then: QTest::keyClick handles events between
// them and keeps a bare pointer, and what Shift or Alt closes may be gone when the key itself comes.
void key_to_focus(Qt::Key key, Qt::KeyboardModifiers modifiers) {
  const auto send = [](bool press, Qt::Key one, Qt::KeyboardModifiers held) {
    QWindow* window = QGuiApplication::focusWindow();
    if (window != nullptr) QTest::simulateEvent(window, press, one, held, QString(), false);
  };
  struct Modifier {
    Qt::KeyboardModifier bit;
    Qt::Key key;
  };
  constexpr Modifier kHeld[] = {{Qt::ShiftModifier, Qt::Key_Shift},
                                {Qt::ControlModifier, Qt::Key_Control},
                                {Qt::AltModifier, Qt::Key_Alt}};
  Qt::KeyboardModifiers held;
  for (const Modifier& one : kHeld) {
    if (!modifiers.testFlag(one.bit)) continue;
    send(true, one.key, held);
    held |= one.bit;
  }
  send(true, key, held);
  send(false, key, held);
  for (const Modifier& one : kHeld) {
    if (!modifiers.testFlag(one.bit)) continue;
    send(false, one.key, held);
    held &= ~Qt::KeyboardModifiers(one.bit);
  }
}

void type_text(const QString& text) {
  for (const QChar letter : text) {
    QWidget* to = QApplication::focusWidget();
    if (to == nullptr) return;
    QTest::sendKeyEvent(QTest::Click, to, Qt::Key_unknown, QString(letter), Qt::NoModifier);
  }
}

}  // namespace shardscope
