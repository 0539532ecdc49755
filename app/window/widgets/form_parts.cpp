// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/form_parts.h"

#include <QHBoxLayout>
#include <QStyle>

namespace shardscope::inline window {

QLabel* form_label(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setProperty("role", "muted");
  return label;
}

QLabel* heading_label(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setProperty("role", "heading");
  return label;
}

QToolButton* small_button(const QString& text, const QString& tooltip, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(tooltip);
  button->setProperty("role", "small");
  return button;
}

QWidget* labelled(const QString& text, QWidget* field, QWidget* parent) {
  auto* pair = new QWidget(parent);
  auto* label = form_label(text, pair);
  label->setBuddy(field);
  auto* line = new QHBoxLayout(pair);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(6);
  line->addWidget(label);
  line->addWidget(field);
  return pair;
}

void begin_in(QLineEdit& field) {
  field.setFocus(Qt::ShortcutFocusReason);
  field.selectAll();
}

QLabel* refusal_label(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setProperty("role", "warning");
  label->setWordWrap(true);
  label->hide();
  return label;
}

void mark_invalid(QWidget* field, bool invalid) {
  if (field->property("invalid").toBool() == invalid) return;
  field->setProperty("invalid", invalid);
  field->style()->polish(field);
}

void mark_invalid(QWidget* field, QLabel* refusal, const QString& reason) {
  mark_invalid(field, !reason.isEmpty());
  refusal->setText(reason);
  refusal->setVisible(!reason.isEmpty());
}

void stands_for(QWidget* widget, const QString& command) {
  widget->setProperty(kCommandProperty, command);
}

void set_role(QWidget* widget, const char* role) {
  widget->setProperty("role", role);
  widget->style()->polish(widget);
}

}  // namespace shardscope::inline window
