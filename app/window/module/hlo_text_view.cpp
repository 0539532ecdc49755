// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_text_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextDocument>
#include <QToolTip>
#include <QUrl>
#include <algorithm>

#include "app/window/text/hlo_colors.h"
#include "engine/program/mlir/mlir_lines.h"
#include "engine/program/text/hlo_lines.h"

namespace shardscope::inline window {
namespace {

bool moves_cursor(int key) {
  return key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown ||
         key == Qt::Key_Home || key == Qt::Key_End || key == Qt::Key_Left || key == Qt::Key_Right;
}

// Of StableHLO the argument under the cursor.
void tell_current(HloTextView& view) {
  const QTextCursor cursor = view.textCursor();
  QString name = view.instructionAt(cursor.blockNumber());
  const auto column = static_cast<size_t>(cursor.positionInBlock());
  const std::string text = cursor.block().text().toStdString();
  for (const MlirLineArgument& each : mlir_arguments_on(text))
    if (name.isEmpty() && column >= each.whole.begin && column <= each.whole.end)
      name = QString::fromStdString(std::string(each.name));
  if (!name.isEmpty()) Q_EMIT view.instructionChosen(name);
}

}  // namespace

HloTextView::HloTextView(const QString& name, QWidget* parent)
    : QPlainTextEdit(parent),
      colors_(new HloColors(document())),
      theme_(light_theme()),
      field_(new HloShardingField(*this, *this)) {
  setAccessibleName(name);
  setObjectName(name);
  document()->setDocumentMargin(8);
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setTabChangesFocus(true);
  setFrameShape(QFrame::NoFrame);
  connect(document(), &QTextDocument::contentsChanged, this, &HloTextView::readLines);
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect&, int dy) {
    if (dy != 0) {
      field_->place();
      Q_EMIT viewChanged();
    }
  });
  connect(horizontalScrollBar(), &QScrollBar::valueChanged, field_, &HloShardingField::place);
}

void HloTextView::setTheme(const Theme& theme) {
  theme_ = theme;
  setStyleSheet(QString("QPlainTextEdit { font-family: 'DejaVu Sans Mono', monospace; font-size: %1px; "
                        "border: none; border-radius: 0; background: %2; } QLineEdit { font-family: 'DejaVu "
                        "Sans Mono', monospace; }")
                    .arg(static_cast<int>(12 * theme.scale))
                    .arg(QColor(theme.background.r, theme.background.g, theme.background.b).name()));
  colors_->setTheme(theme);
  drawMarks();
}

void HloTextView::readLines() {
  std::vector<std::string> names;
  for (QTextBlock block = document()->begin(); block.isValid(); block = block.next())
    names.emplace_back(instruction_on(block.text().toStdString()));
  if (names == names_) return;
  names_ = std::move(names);
  lines_.clear();
  for (size_t line = 0; line < names_.size(); ++line)
    if (!names_[line].empty()) lines_.try_emplace(names_[line], static_cast<int>(line));
  for (QTextBlock block = document()->begin(); block.isValid(); block = block.next())
    if (block.text().contains("func.func "))
      for (const std::string text = block.text().toStdString();
           const MlirLineArgument& each : mlir_arguments_on(text))
        lines_.try_emplace(std::string(each.name), block.blockNumber());
  // The document is being changed: its marks have to wait.
  QMetaObject::invokeMethod(
      this,
      [this] {
        drawMarks();
        Q_EMIT viewChanged();
      },
      Qt::QueuedConnection);
}

QString HloTextView::instructionAt(int line) const {
  if (line < 0 || static_cast<size_t>(line) >= names_.size()) return {};
  const QString placed = placedAt(line);
  return placed.isEmpty() ? QString::fromStdString(names_[static_cast<size_t>(line)]) : placed;
}

int HloTextView::lineOf(const QString& instruction) const {
  const auto found = lines_.find(instruction.toStdString());
  return found == lines_.end() ? lineOfPlaced(instruction) : found->second;
}

std::string HloTextView::lineText(int line) const {
  return document()->findBlockByNumber(line).text().toStdString();
}

std::pair<int, int> HloTextView::visibleLines() const {
  const int first = firstVisibleBlock().blockNumber();
  const int height = std::max(1, fontMetrics().height());
  return {first, std::min(first + viewport()->height() / height + 1, blockCount() - 1)};
}

float HloTextView::middleOf(int line) const {
  const QTextBlock block = document()->findBlockByNumber(line);
  const QRectF at = blockBoundingGeometry(block).translated(contentOffset());
  return static_cast<float>(at.center().y());
}

QRect HloTextView::placeOf(int line, int column) const {
  const QTextBlock block = document()->findBlockByNumber(line);
  QTextCursor at(block);
  at.setPosition(block.position() + std::clamp(column, 0, std::max(0, block.length() - 1)));
  return cursorRect(at);
}

void HloTextView::mark(const QSet<QString>& instructions) {
  if (marked_ == instructions) return;
  marked_ = instructions;
  drawMarks();
}

void HloTextView::drawMarks() {
  QList<QTextEdit::ExtraSelection> marks;
  for (const QString& name : marked_) {
    const int line = lineOf(name);
    if (line < 0) continue;
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(document()->findBlockByNumber(line));
    const Color c = theme_.selection;
    mark.format.setBackground(QColor(c.r, c.g, c.b, theme_.dark ? 90 : 44));
    mark.format.setProperty(QTextFormat::FullWidthSelection, true);
    marks.append(mark);
  }
  if (problem_line_ > 0) {
    const QTextBlock block = document()->findBlockByNumber(problem_line_ - 1);
    const QColor warning(theme_.warning.r, theme_.warning.g, theme_.warning.b);
    QTextEdit::ExtraSelection line;
    line.cursor = QTextCursor(block);
    line.format.setBackground(QColor(warning.red(), warning.green(), warning.blue(), 40));
    line.format.setProperty(QTextFormat::FullWidthSelection, true);
    marks.append(line);
    QTextEdit::ExtraSelection rest;
    rest.cursor = QTextCursor(block);
    const int last = std::max(0, block.length() - 1);
    rest.cursor.setPosition(block.position() + std::clamp(problem_column_ - 1, 0, last));
    rest.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    rest.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    rest.format.setUnderlineColor(warning);
    marks.append(rest);
  }
  setExtraSelections(marks);
}

void HloTextView::reveal(int line) {
  if (line < 0) return;
  const auto [first, last] = visibleLines();
  if (line > first && line < last - 2) return;
  verticalScrollBar()->setValue(std::max(0, line - (last - first) / 3));
}

void HloTextView::setProblem(int line, int column, const QString& reason) {
  problem_line_ = line;
  problem_column_ = column;
  problem_ = reason;
  drawMarks();
}

void HloTextView::mouseReleaseEvent(QMouseEvent* event) {
  QPlainTextEdit::mouseReleaseEvent(event);
  if (!textCursor().hasSelection()) tell_current(*this);
}

void HloTextView::mouseDoubleClickEvent(QMouseEvent* event) {
  const QTextCursor at = cursorForPosition(event->position().toPoint());
  const auto span = sharding_on(at.block().text().toStdString());
  const auto column = static_cast<size_t>(at.positionInBlock());
  if (!isReadOnly() && span && !instructionAt(at.blockNumber()).isEmpty() && column >= span->begin &&
      column <= span->end)
    return field_->openOn(at.blockNumber());
  QPlainTextEdit::mouseDoubleClickEvent(event);
}

void HloTextView::keyPressEvent(QKeyEvent* event) {
  const int line = textCursor().blockNumber();
  if (event->key() == Qt::Key_F2 && !isReadOnly() && !instructionAt(line).isEmpty())
    return field_->openOn(line);
  const bool reads = event->matches(QKeySequence::Copy) || event->matches(QKeySequence::SelectAll);
  if (isReadOnly() && !reads && !moves_cursor(event->key())) return event->ignore();  // the window's
  QPlainTextEdit::keyPressEvent(event);
  if (textCursor().blockNumber() != line && moves_cursor(event->key())) tell_current(*this);
}

void HloTextView::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  field_->place();
  Q_EMIT viewChanged();
}

bool HloTextView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QPlainTextEdit::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const int line = cursorForPosition(viewport()->mapFrom(this, help->pos())).blockNumber();
  QString text;
  if (problem_line_ > 0 && line == problem_line_ - 1)
    text = problem_;
  else if (const QString name = instructionAt(line); words_ && !name.isEmpty())
    text = words_(name).join('\n');
  if (text.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), Qt::convertFromPlainText(text), this);
  return true;
}

void HloTextView::insertFromMimeData(const QMimeData* source) {
  if (source->hasUrls()) {
    for (const QUrl& url : source->urls())
      if (url.isLocalFile()) return Q_EMIT fileDropped(url.toLocalFile());
  }
  QPlainTextEdit::insertFromMimeData(source);
}

}  // namespace shardscope::inline window
