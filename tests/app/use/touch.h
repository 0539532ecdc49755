// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QEvent>
#include <QPointer>
#include <QString>
#include <QWidget>
#include <vector>

namespace shardscope {

// What a random user types and presses.
extern const std::vector<QString> kTyped;
extern const std::vector<Qt::Key> kKeys;
extern const std::vector<Qt::KeyboardModifiers> kModifiers;

// To the window, so that Qt finds who gets it, as for a real mouse.
void mouse(QEvent::Type type, const QPointer<QWidget>& widget, QPoint at, Qt::MouseButton button,
           Qt::KeyboardModifiers modifiers);
void key_to_focus(Qt::Key key, Qt::KeyboardModifiers modifiers);
void type_text(const QString& text);

}  // namespace shardscope
