// SPDX-License-Identifier: Apache-2.0
#include "app/window/text/line_paint.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace shardscope::inline window {
namespace {

QColor line_color(Color c, int alpha) {
  return {c.r, c.g, c.b, alpha};
}

int columns_in_sight(const LineLook& look, double letter) {
  return static_cast<int>(look.width / letter) + 1;
}

}  // namespace

DrawnLine drawn_line(std::string_view line, size_t most) {
  most = std::min(most, DrawnLine::kMost);
  if (most < line.size())  // letters stay whole
    while (most > 0 && (static_cast<unsigned char>(line[most]) & 0xC0U) == 0x80U) --most;
  const std::string_view text = line.substr(0, most);
  const auto decoded = [&](size_t bytes) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(bytes));
  };
  DrawnLine out{decoded(text.size()), hlo_spans(text), text.size()};
  out.text.replace('\t', ' ');
  // Characters instead of bytes, where the two differ.
  if (out.text.size() != static_cast<qsizetype>(text.size()))
    for (HloSpan& span : out.spans)
      span = {static_cast<size_t>(decoded(span.begin).size()), static_cast<size_t>(decoded(span.end).size()),
              span.part};
  if (line.size() > DrawnLine::kMost) out.text += " …";
  return out;
}

int width_of_columns(int columns, const Theme& theme) {
  constexpr double kScrollBar = 12;  // at 100 %
  LinePaint paint;
  paint.setTheme(theme);
  return static_cast<int>(columns * paint.letter() + 2 * LinePaint::kMargin + kScrollBar * theme.scale);
}

void LinePaint::setTheme(const Theme& theme) {
  theme_ = theme;
  font_ = QFont("DejaVu Sans Mono");
  font_.setStyleHint(QFont::Monospace);
  font_.setPixelSize(static_cast<int>(12 * theme.scale));
  bold_ = font_;
  bold_.setBold(true);
  const QFontMetricsF metrics(font_);
  letter_ = metrics.horizontalAdvance(QString(64, 'm')) / 64;
  height_ = static_cast<int>(std::ceil(metrics.lineSpacing()));
  ascent_ = static_cast<int>(std::ceil(metrics.ascent()));
}

void LinePaint::paintBehind(QPainter& painter, const DrawnLine& line, const LineLook& look) const {
  const auto tint = [&](int from, int to, QColor color) {
    painter.fillRect(QRectF(x(from, look), look.y, (to - from) * letter_, height_), color);
  };
  const QRect whole(0, look.y, look.width, height_);
  if (look.marked) painter.fillRect(whole, line_color(theme_.selection, theme_.dark ? 90 : 44));
  if (look.problem >= 0) painter.fillRect(whole, line_color(theme_.warning, 40));
  if (const auto length = static_cast<int>(look.needle.size()); length > 0) {
    const int last = look.first + columns_in_sight(look, letter_);
    for (qsizetype at = line.text.indexOf(look.needle, std::max(0, look.first - length), Qt::CaseInsensitive);
         at >= 0 && at < last; at = line.text.indexOf(look.needle, at + length, Qt::CaseInsensitive))
      tint(static_cast<int>(at), static_cast<int>(at) + length, line_color(theme_.hover, 90));
  }
  if (look.selected.first < look.selected.second)
    tint(look.selected.first, look.selected.second, line_color(theme_.focus, 80));
}

// Other than ASCII stands letter by letter in its columns, however wide its font draws it.
void LinePaint::paintSpan(QPainter& painter, const QString& text, const HloSpan& span,
                          const LineLook& look) const {
  const int begin = std::max(static_cast<int>(span.begin), look.first);
  const int end = std::min({static_cast<int>(span.end), look.first + columns_in_sight(look, letter_),
                            static_cast<int>(text.size())});
  if (begin >= end) return;
  painter.setPen(line_color(hlo_color(theme_, span.part), 255));
  painter.setFont(is_bold(span.part) ? bold_ : font_);
  const auto draw = [&](int from, int to) {
    if (to > from) painter.drawText(QPointF(x(from, look), look.y + ascent_), text.mid(from, to - from));
  };
  int from = begin;
  for (int k = begin; k < end; ++k) {
    if (text[k].unicode() < 0x80) continue;
    draw(from, k);
    draw(k, k + 1);
    from = k + 1;
  }
  draw(from, end);
}

void LinePaint::paint(QPainter& painter, const DrawnLine& line, const LineLook& look) const {
  paintBehind(painter, line, look);
  size_t from = 0;
  for (const HloSpan& span : line.spans) {
    paintSpan(painter, line.text, {from, span.begin, HloPart::plain}, look);
    paintSpan(painter, line.text, span, look);
    from = span.end;
  }
  const auto length = static_cast<int>(line.text.size());
  paintSpan(painter, line.text, {from, static_cast<size_t>(length), HloPart::plain}, look);
  if (look.problem >= 0) {
    painter.setPen(QPen(line_color(theme_.warning, 255), 2, Qt::DotLine));
    const double y = look.y + height_ - 1;
    painter.drawLine(QPointF(x(std::min(look.problem, length), look), y), QPointF(x(length + 1, look), y));
  }
  if (look.cursor >= 0)
    painter.fillRect(QRectF(x(look.cursor, look), look.y, std::max(1.0F, theme_.scale), height_),
                     line_color(theme_.text, 255));
}

}  // namespace shardscope::inline window
