// SPDX-License-Identifier: Apache-2.0
#include "app/window/text/line_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

constexpr qsizetype kMostCopied = qsizetype{32} << 20;  // more is for a file

bool is_word(QChar c) {
  return c.isLetterOrNumber() || c == '_' || c == '.' || c == '-' || c == '%';
}

bool reads(const QKeyEvent& key) {
  return key.matches(QKeySequence::Copy) || key.matches(QKeySequence::SelectAll);
}

}  // namespace

TextPlace LineView::at(QPoint point) const {
  constexpr int kInset = LinePaint::kMargin;
  TextPlace out;
  const double line = std::floor(static_cast<double>(point.y() - kInset) / paint_.height());
  out.line = std::clamp(verticalScrollBar()->value() + static_cast<int>(line), 0, text()->lineCount() - 1);
  const double column = horizontalScrollBar()->value() + (point.x() - kInset) / paint_.letter();
  const auto length = static_cast<double>(drawn(out.line).text.size());
  out.column = static_cast<int>(std::clamp(std::round(column), 0.0, length));
  return out;
}

TextPlace LineView::moved(const QKeyEvent& key) const {
  TextPlace to = cursor_;
  const int last = text()->lineCount() - 1, page = std::max(1, verticalScrollBar()->pageStep() - 1);
  const bool far = key.modifiers().testFlag(Qt::ControlModifier);
  const auto length = [&](int line) { return static_cast<int>(drawn(line).text.size()); };
  switch (key.key()) {
    case Qt::Key_Up:
      --to.line;
      break;
    case Qt::Key_Down:
      ++to.line;
      break;
    case Qt::Key_PageUp:
      to.line -= page;
      break;
    case Qt::Key_PageDown:
      to.line += page;
      break;
    case Qt::Key_Home:
      return far ? TextPlace{0, 0} : TextPlace{to.line, 0};
    case Qt::Key_End:
      return far ? TextPlace{last, length(last)} : TextPlace{to.line, length(to.line)};
    case Qt::Key_Left:
      if (to.column > 0) return {to.line, to.column - 1};
      return to.line > 0 ? TextPlace{to.line - 1, length(to.line - 1)} : to;
    case Qt::Key_Right:
      if (to.column < length(to.line)) return {to.line, to.column + 1};
      return to.line < last ? TextPlace{to.line + 1, 0} : to;
    default:
      break;
  }
  to.line = std::clamp(to.line, 0, last);
  to.column = std::min(to.column, length(to.line));
  return to;
}

void LineView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return LineSheet::mousePressEvent(event);
  const TextPlace to = at(event->position().toPoint());
  setSelection(event->modifiers().testFlag(Qt::ShiftModifier) ? anchor_ : to, to);
}

void LineView::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons().testFlag(Qt::LeftButton)) setSelection(anchor_, at(event->position().toPoint()));
}

void LineView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || cursor_ != anchor_) return;
  if (const QString name = instructionAt(cursor_.line); !name.isEmpty()) Q_EMIT instructionChosen(name);
}

// On a sharding it is edited, elsewhere the word is selected.
void LineView::mouseDoubleClickEvent(QMouseEvent* event) {
  const TextPlace place = at(event->position().toPoint());
  const DrawnLine& line = drawn(place.line);
  const auto column = static_cast<size_t>(place.column);
  for (const HloSpan& span : line.spans)
    if (span.part == HloPart::sharding && column >= span.begin && column <= span.end)
      return Q_EMIT editRequested(place.line);
  int from = place.column, to = place.column;
  while (from > 0 && is_word(line.text[from - 1])) --from;
  while (to < line.text.size() && is_word(line.text[to])) ++to;
  setSelection({place.line, from}, {place.line, to});
}

void LineView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) return copy();
  if (event->matches(QKeySequence::SelectAll)) {
    const int last = text()->lineCount() - 1;
    anchor_ = {0, 0};
    cursor_ = {last, static_cast<int>(drawn(last).text.size())};  // what is in sight stays
    return viewport()->update();
  }
  if (event->key() == Qt::Key_F2 && !instructionAt(cursor_.line).isEmpty())
    return Q_EMIT editRequested(cursor_.line);
  static const QSet<int> kMoving = {Qt::Key_Up,   Qt::Key_Down, Qt::Key_PageUp, Qt::Key_PageDown,
                                    Qt::Key_Home, Qt::Key_End,  Qt::Key_Left,   Qt::Key_Right};
  if (!kMoving.contains(event->key()) || event->modifiers().testFlag(Qt::AltModifier)) return event->ignore();
  const int line = cursor_.line;
  const TextPlace to = moved(*event);
  setSelection(event->modifiers().testFlag(Qt::ShiftModifier) ? anchor_ : to, to);
  const QString name = cursor_.line == line ? QString() : instructionAt(cursor_.line);
  if (!name.isEmpty()) Q_EMIT instructionChosen(name);
}

void LineView::copy() const {
  const QString chosen = selectedText();
  if (chosen.size() > kMostCopied)
    return QToolTip::showText(mapToGlobal(QPoint(0, 0)),
                              "This is too much for the clipboard: save the text as a file"_tr);
  if (!chosen.isEmpty()) QApplication::clipboard()->setText(chosen);
}

bool LineView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && reads(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) viewport()->update();
  if (event->type() != QEvent::ToolTip) return LineSheet::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const int line = at(viewport()->mapFrom(this, help->pos())).line;
  QString said;
  if (line == problem_line_)
    said = problem_;
  else if (const QString name = instructionAt(line); words_ && !name.isEmpty())
    said = words_(name).join('\n');
  if (said.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), Qt::convertFromPlainText(said), this);
  return true;
}

}  // namespace shardscope::inline window
