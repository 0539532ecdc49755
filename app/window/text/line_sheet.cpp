// SPDX-License-Identifier: Apache-2.0
#include "app/window/text/line_sheet.h"

#include <QScrollBar>
#include <algorithm>

#include "engine/program/text/hlo_lines.h"

namespace shardscope::inline window {
namespace {

constexpr qsizetype kMostSelected = qsizetype{64} << 20;
constexpr int kInset = LinePaint::kMargin;
constexpr size_t kWidestLetter = 4;       // bytes of UTF-8
constexpr size_t kDrawnAtOnce = 4 << 10;  // bytes of a line, where fewer are in sight

QString text_of(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

LineSheet::LineSheet(const QString& name, QWidget* parent) : QAbstractScrollArea(parent) {
  setAccessibleName(name);
  setObjectName(name);
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setCursor(Qt::IBeamCursor);
  paint_.setTheme(light_theme());
}

void LineSheet::setTheme(const Theme& theme) {
  paint_.setTheme(theme);
  fitBars();
  viewport()->update();
}

void LineSheet::setPlaceholderText(const QString& text) {
  placeholder_ = text;
  viewport()->update();
}

void LineSheet::setText(IndexedTextPtr text) {
  text_ = text == nullptr ? std::make_shared<const IndexedText>() : std::move(text);
  cache_.clear();
  marked_.clear();
  marked_lines_.clear();
  for (TextPlace* place : {&cursor_, &anchor_}) {
    place->line = std::min(place->line, text_->lineCount() - 1);
    place->column = std::min(place->column, static_cast<int>(drawn(place->line).text.size()));
  }
  fitBars();
  viewport()->update();
  Q_EMIT viewChanged();
}

void LineSheet::setNeedle(const QString& needle) {
  needle_ = needle;
  viewport()->update();
}

QString LineSheet::instructionAt(int line) const {
  const QString placed = placedAt(line);
  return placed.isEmpty() ? text_of(instruction_on(text_->line(line))) : placed;
}

int LineSheet::lineOf(const QString& instruction) const {
  const int line = text_->lineOf(instruction.toStdString());
  return line < 0 ? lineOfPlaced(instruction) : line;
}

std::pair<int, int> LineSheet::visibleLines() const {
  const int first = verticalScrollBar()->value();
  return {first, std::min(first + viewport()->height() / paint_.height() + 1, text_->lineCount() - 1)};
}

float LineSheet::middleOf(int line) const {
  return static_cast<float>(placeOf(line, 0).y()) + static_cast<float>(paint_.height()) / 2;
}

QRect LineSheet::placeOf(int line, int column) const {
  const double x = kInset + (column - horizontalScrollBar()->value()) * paint_.letter();
  const int y = (line - verticalScrollBar()->value()) * paint_.height() + kInset;
  return {static_cast<int>(x), y, 1, paint_.height()};
}

void LineSheet::mark(const QSet<QString>& instructions) {
  if (marked_ == instructions) return;
  marked_ = instructions;
  marked_lines_.clear();
  for (const QString& name : marked_)
    if (const int line = lineOf(name); line >= 0) marked_lines_.insert(line);
  viewport()->update();
}

void LineSheet::reveal(int line) {
  if (line < 0) return;
  const auto [first, last] = visibleLines();
  if (line > first && line < last - 2) return;
  verticalScrollBar()->setValue(std::max(0, line - (last - first) / 3));
}

void LineSheet::setProblem(int line, int column, const QString& reason) {
  problem_line_ = line - 1;
  problem_column_ = std::max(column - 1, 0);
  problem_ = reason;
  viewport()->update();
}

void LineSheet::setSelection(TextPlace anchor, TextPlace cursor) {
  const auto inside = [&](TextPlace place) {
    place.line = std::clamp(place.line, 0, text_->lineCount() - 1);
    return place;
  };
  anchor_ = inside(anchor);
  cursor_ = inside(cursor);
  const int lines = verticalScrollBar()->pageStep(), columns = horizontalScrollBar()->pageStep();
  const int top = verticalScrollBar()->value(), left = horizontalScrollBar()->value();
  if (cursor_.line < top) verticalScrollBar()->setValue(cursor_.line);
  if (cursor_.line >= top + lines) verticalScrollBar()->setValue(cursor_.line - lines + 1);
  if (cursor_.column < left) horizontalScrollBar()->setValue(cursor_.column);
  if (cursor_.column > left + columns) horizontalScrollBar()->setValue(cursor_.column - columns);
  viewport()->update();
}

QString LineSheet::selectedText() const {
  const auto [from, to] = std::minmax(cursor_, anchor_);
  if (from.line == to.line) return drawn(from.line).text.mid(from.column, to.column - from.column);
  QString out = text_of(text_->line(from.line)).mid(from.column) + '\n';
  for (int line = from.line + 1; line < to.line && out.size() < kMostSelected; ++line)
    out += text_of(text_->line(line)) + '\n';
  return out + drawn(to.line).text.left(to.column);
}

const DrawnLine& LineSheet::drawn(int line, int columns) const {
  const std::string_view text = text_->line(line);
  const size_t bytes = std::max(kDrawnAtOnce, kWidestLetter * static_cast<size_t>(columns));
  const size_t enough = std::min({bytes - kWidestLetter, text.size(), DrawnLine::kMost - kWidestLetter});
  if (const DrawnLine* known = cache_.object(line); known != nullptr && known->bytes >= enough) return *known;
  auto* made = new DrawnLine(drawn_line(text, bytes));
  cache_.insert(line, made);  // of cost 1: never refused
  return *made;
}

void LineSheet::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(viewport());
  const Theme& theme = paint_.theme();
  const auto color = [](Color c) { return QColor(c.r, c.g, c.b); };
  painter.fillRect(viewport()->rect(), color(theme.background));
  if (text_->bytes() == 0) {
    painter.setFont(font());
    painter.setPen(color(theme.muted_text));
    const QRect inside = viewport()->rect().adjusted(kInset, kInset, -kInset, -kInset);
    return painter.drawText(inside, Qt::TextWordWrap, placeholder_);
  }
  const auto [from, to] = std::minmax(cursor_, anchor_);
  const auto [first, last] = visibleLines();
  LineLook look;
  look.width = viewport()->width();
  look.first = horizontalScrollBar()->value();
  look.needle = needle_;
  for (int line = first; line <= last; ++line) {
    const DrawnLine& each = drawn(line, look.first + static_cast<int>(look.width / paint_.letter()) + 2);
    look.y = placeOf(line, 0).y();
    look.marked = marked_lines_.contains(line);
    look.problem = line == problem_line_ ? problem_column_ : -1;
    look.cursor = line == cursor_.line && hasFocus() ? cursor_.column : -1;
    look.selected = {0, 0};
    if (line >= from.line && line <= to.line)
      look.selected = {line == from.line ? from.column : 0,
                       line == to.line ? to.column : static_cast<int>(each.text.size()) + 1};
    paint_.paint(painter, each, look);
  }
}

void LineSheet::fitBars() {
  const int lines = std::max(1, (viewport()->height() - 2 * kInset) / paint_.height());
  verticalScrollBar()->setRange(0, std::max(0, text_->lineCount() - lines));
  verticalScrollBar()->setPageStep(lines);
  const int columns = std::max(1, static_cast<int>((viewport()->width() - 2 * kInset) / paint_.letter()));
  const int longest = static_cast<int>(std::min(text_->longestLine(), DrawnLine::kMost)) + 2;
  horizontalScrollBar()->setRange(0, std::max(0, longest - columns));
  horizontalScrollBar()->setPageStep(columns);
}

void LineSheet::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  fitBars();
  Q_EMIT viewChanged();
}

void LineSheet::scrollContentsBy(int /*dx*/, int /*dy*/) {
  viewport()->update();
  Q_EMIT viewChanged();
}

}  // namespace shardscope::inline window
