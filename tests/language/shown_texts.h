// SPDX-License-Identifier: Apache-2.0
// Everything that a window shows in words, as a person and as a screen reader find it.
#pragma once

#include <QString>
#include <QWidget>
#include <map>
#include <set>

namespace shardscope {

// Where a text stands, for what may be said of it.
enum class TextKind : uint8_t { command, widget, scene };

using ShownTexts = std::map<TextKind, std::set<QString>>;

// Of the widget and all that is in it, hidden or not: texts, tool tips, accessible names, placeholders,
// headers, tabs, choices, menus; and of each view the texts and accessible items of its scene.
void collect(QWidget& window, ShownTexts& into);

// The words of a text that did not come through the door to translation, in the pseudo-language: three or
// more plain letters that are no name of the experiment, unit, key, opcode or code. Empty: none.
QStringList plain_words(const QString& text, const std::set<QString>& names);

// Visible labels and buttons of `window` that have less room than their text needs.
QStringList clipped(QWidget& window);

}  // namespace shardscope
