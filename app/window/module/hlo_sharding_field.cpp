// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_sharding_field.h"

#include <QKeyEvent>
#include <QToolTip>
#include <algorithm>

#include "app/window/document/language.h"
#include "engine/program/text/hlo_lines.h"

namespace shardscope::inline window {

HloShardingField::HloShardingField(QAbstractScrollArea& view, const InstructionLines& lines)
    : QLineEdit(view.viewport()), view_(view), lines_(lines) {
  setAccessibleName("Sharding of the instruction"_tr);
  setPlaceholderText("{devices=[2,1]<=[2]} or P('x',None)"_tr);
  setToolTip(
      "{devices=…}, P('x',None) or #sdy.sharding<@mesh, [{\"x\"}, {}]>; Enter takes it, Esc leaves it, empty takes the sharding away"_tr);
  hide();
}

void HloShardingField::openOn(int line) {
  const std::string written = lines_.lineText(line);
  const auto span = sharding_on(written);
  line_ = line;
  setText(span ? QString::fromStdString(written.substr(span->begin, span->end - span->begin)) : "");
  place();
  show();
  setFocus(Qt::ShortcutFocusReason);
  selectAll();
}

void HloShardingField::place() {
  if (line_ < 0) return;
  const std::string written = lines_.lineText(line_);
  const auto span = sharding_on(written);
  const QRect where = lines_.placeOf(line_, static_cast<int>(span ? span->begin : written.size()));
  const QFontMetrics font = view_.fontMetrics();
  const int width =
      std::max(font.averageCharWidth() * 30, font.horizontalAdvance(text()) + font.height() * 2);
  const int room = view_.viewport()->width();
  const int w = std::min(width, room);
  const int h = sizeHint().height();
  setGeometry(std::clamp(where.left(), 0, room - w), where.center().y() - h / 2, w, h);
}

void HloShardingField::closeField() {
  line_ = -1;
  hide();
  if (hasFocus()) view_.setFocus();
}

void HloShardingField::refuse(const QString& reason) {
  setFocus();
  QToolTip::showText(mapToGlobal(QPoint(0, height())), reason, this);
}

// Keys that the field does not use itself would go on to the text below it.
bool HloShardingField::event(QEvent* event) {
  const bool pressed = event->type() == QEvent::KeyPress;
  if (pressed || event->type() == QEvent::ShortcutOverride) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool ends = key == Qt::Key_Escape, takes = key == Qt::Key_Return || key == Qt::Key_Enter;
    if (ends || takes) {
      event->accept();
      if (pressed && ends) closeField();
      if (pressed && takes) Q_EMIT typed(text());
      return true;
    }
  }
  if (event->type() == QEvent::FocusOut && !QToolTip::isVisible()) closeField();
  return QLineEdit::event(event);
}

}  // namespace shardscope::inline window
