// SPDX-License-Identifier: Apache-2.0
// The small parts that every form is made of.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QWidget>

namespace shardscope::inline window {

QLabel* form_label(const QString& text, QWidget* parent = nullptr);
QLabel* heading_label(const QString& text, QWidget* parent = nullptr);
QToolButton* small_button(const QString& text, const QString& tooltip, QWidget* parent = nullptr);
// A field behind its label, as one widget: a label never stands alone at a line's end.
QWidget* labelled(const QString& text, QWidget* field, QWidget* parent);

// Typing goes into it, over what it holds.
void begin_in(QLineEdit& field);

// A label under a field for why what was typed is refused; hidden until then.
QLabel* refusal_label(QWidget* parent = nullptr);
// Marks the field as refused, or takes the mark back.
void mark_invalid(QWidget* field, bool invalid);
// Marks the field as refused in place and gives the reason; an empty one takes the mark back.
void mark_invalid(QWidget* field, QLabel* refusal, const QString& reason);
// The widget does what the window's command of that id does: its tip names the command's key, whatever it is.
inline constexpr const char* kCommandProperty = "command";
void stands_for(QWidget* widget, const QString& command);
// F1 in the widget opens that topic of the help.
inline constexpr const char* kHelpProperty = "help";
inline void explained_by(QWidget* widget, const QString& topic) {
  widget->setProperty(kHelpProperty, topic);
}
// Another role of the style sheet (warning, muted, …) for a widget that is shown already.
void set_role(QWidget* widget, const char* role);

}  // namespace shardscope::inline window
