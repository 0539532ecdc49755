// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFont>
#include <QPainter>
#include <QString>
#include <string_view>
#include <utility>
#include <vector>

#include "app/window/text/hlo_colors.h"

namespace shardscope::inline window {

// A line as it is drawn. Of a very long one only the beginning: nobody reads further.
struct DrawnLine {
  static constexpr size_t kMost = size_t{1} << 20;  // bytes
  QString text;
  std::vector<HloSpan> spans;  // in characters
  size_t bytes = 0;            // of the line that are in `text`
};
// `bytes`: so much of it from its beginning is enough; its colours are those of what is there.
DrawnLine drawn_line(std::string_view line, size_t bytes = DrawnLine::kMost);

// What is to be seen of a line, and where.
struct LineLook {
  int y = 0, width = 0;  // pixels
  int first = 0;         // column at the left margin
  bool marked = false;
  int problem = -1;                    // column from which on it is underlined; -1: none
  std::pair<int, int> selected{0, 0};  // columns
  int cursor = -1;                     // column; -1: not here
  QString needle;                      // every place of it is marked
};

// What so many columns take in a view that scrolls, in pixels.
int width_of_columns(int columns, const Theme& theme);

// Draws lines in columns of one width, of each no more than the columns in sight.
class LinePaint {
 public:
  static constexpr int kMargin = 8;
  void setTheme(const Theme& theme);
  const Theme& theme() const { return theme_; }
  int height() const { return height_; }
  double letter() const { return letter_; }
  void paint(QPainter& painter, const DrawnLine& line, const LineLook& look) const;

 private:
  void paintBehind(QPainter& painter, const DrawnLine& line, const LineLook& look) const;
  void paintSpan(QPainter& painter, const QString& text, const HloSpan& span, const LineLook& look) const;
  double x(int column, const LineLook& look) const { return kMargin + (column - look.first) * letter_; }

  Theme theme_;
  QFont font_, bold_;
  double letter_ = 8;
  int height_ = 16, ascent_ = 12;
};

}  // namespace shardscope::inline window
