// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractScrollArea>
#include <QCache>
#include <set>

#include "app/window/text/indexed_text.h"
#include "app/window/text/instruction_lines.h"
#include "app/window/text/line_paint.h"

namespace shardscope::inline window {

// A place in a text: columns count characters of the line.
struct TextPlace {
  int line = 0, column = 0;
  auto operator<=>(const TextPlace&) const = default;
};

// A text of any size: only the lines in sight are looked at, coloured and drawn.
class LineSheet : public QAbstractScrollArea, public InstructionLines {
  Q_OBJECT
 public:
  explicit LineSheet(const QString& name, QWidget* parent = nullptr);
  void setTheme(const Theme& theme);
  void setPlaceholderText(const QString& text);
  void setText(IndexedTextPtr text);  // null: none; the place in it stays as far as it is there
  const IndexedTextPtr& text() const { return text_; }
  void setNeedle(const QString& needle);  // every place of it in sight is marked; "": none

  QString instructionAt(int line) const override;
  int lineOf(const QString& instruction) const override;
  std::string lineText(int line) const override { return std::string(text_->line(line)); }
  std::pair<int, int> visibleLines() const override;
  float middleOf(int line) const override;
  QRect placeOf(int line, int column) const override;
  const QSet<QString>& marked() const override { return marked_; }
  void mark(const QSet<QString>& instructions) override;
  void reveal(int line) override;
  void setProblem(int line, int column, const QString& reason) override;

  TextPlace cursor() const { return cursor_; }
  void setSelection(TextPlace anchor, TextPlace cursor);  // the same place: nothing; scrolls to the cursor
  QString selectedText() const;                           // of a very long one the beginning

 Q_SIGNALS:
  void viewChanged();  // scrolled, or other lines

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  // Its first columns, or more of it: lines may have megabytes.
  const DrawnLine& drawn(int line, int columns = static_cast<int>(DrawnLine::kMost)) const;

  TextPlace cursor_, anchor_;
  int problem_line_ = -1;
  QString problem_;
  LinePaint paint_;

 private:
  void fitBars();

  IndexedTextPtr text_ = std::make_shared<const IndexedText>();
  QString placeholder_, needle_;
  QSet<QString> marked_;
  std::set<int> marked_lines_;
  int problem_column_ = 0;
  mutable QCache<int, DrawnLine> cache_{256};
};

}  // namespace shardscope::inline window
