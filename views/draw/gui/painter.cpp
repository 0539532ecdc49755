// SPDX-License-Identifier: Apache-2.0
#include "views/draw/gui/painter.h"

#include <QFont>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <unordered_map>

#include "engine/base/text.h"
#include "views/scene/core/layouts.h"
#include "views/scene/core/pattern.h"

namespace shardscope::inline views {
namespace {

QColor qcolor(Color c) {
  return {c.r, c.g, c.b, c.a};
}
QRectF qrect(const Rect& r) {
  return {r.x, r.y, r.w, r.h};
}
QPointF qpoint(Point p) {
  return {p.x, p.y};
}

// DejaVu's digits all have one width, so numbers stand under each other.
QFont font_of(float px, Face face) {
  QFont font;
  font.setFamilies(is_mono(face) ? QStringList{"DejaVu Sans Mono", "Liberation Mono", "monospace"}
                                 : QStringList{"DejaVu Sans", "Noto Sans", "Liberation Sans", "sans-serif"});
  font.setPixelSize(std::max(1, static_cast<int>(std::lround(px))));
  font.setBold(is_bold(face));
  font.setHintingPreference(QFont::PreferNoHinting);
  return font;
}

void paint_rect(const RectItem& item, QPainter& painter) {
  const QRectF rect = qrect(item.rect);
  painter.setPen(Qt::NoPen);
  painter.setBrush(qcolor(item.fill));
  // Edges on whole pixels stay sharp.
  painter.setRenderHint(QPainter::Antialiasing, item.radius > 0);
  if (item.fill.a > 0) {
    if (item.radius > 0)
      painter.drawRoundedRect(rect, item.radius, item.radius);
    else
      painter.fillRect(rect, qcolor(item.fill));
  }
  painter.setRenderHint(QPainter::Antialiasing, true);
  if (item.pattern != Pattern::none) {
    const PatternMarks marks = pattern_marks(item);
    painter.setPen(QPen(qcolor(item.pattern_color), 1));
    for (const auto& [a, b] : marks.lines) painter.drawLine(qpoint(a), qpoint(b));
    painter.setPen(Qt::NoPen);
    painter.setBrush(qcolor(item.pattern_color));
    for (const Point& p : marks.dots) painter.drawEllipse(qpoint(p), 1.1, 1.1);
  }
  if (item.border_width > 0) {
    painter.setPen(QPen(qcolor(item.border), item.border_width, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.setBrush(Qt::NoBrush);
    const double in = std::min<double>(item.border_width / 2, std::min(rect.width(), rect.height()) / 2);
    const QRectF inner = rect.adjusted(in, in, -in, -in);
    if (item.radius > 0)
      painter.drawRoundedRect(inner, item.radius, item.radius);
    else
      painter.drawRect(inner);
  }
}

void paint_line(const LineItem& item, QPainter& painter) {
  if (item.points.size() < 2) return;
  QPolygonF points;
  for (const Point& p : item.points) points << qpoint(p);
  QPen pen(qcolor(item.color), item.width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
  if (item.dashed) pen.setDashPattern({4, 3});
  painter.setPen(pen);
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(points);
  if (!item.arrow) return;
  const QPointF tip = points.back();
  const QPointF from = points[points.size() - 2];
  const double length = std::hypot(tip.x() - from.x(), tip.y() - from.y());
  if (length <= 0) return;
  const QPointF along = (tip - from) / length;
  const QPointF across(-along.y(), along.x());
  const double size = 4 + 2 * item.width;
  painter.setPen(Qt::NoPen);
  painter.setBrush(qcolor(item.color));
  painter.drawPolygon(
      QPolygonF{{tip, tip - along * size + across * size * 0.5, tip - along * size - across * size * 0.5}});
}

void paint_circle(const CircleItem& item, QPainter& painter) {
  painter.setPen(item.border_width > 0 ? QPen(qcolor(item.border), item.border_width) : QPen(Qt::NoPen));
  painter.setBrush(qcolor(item.fill));
  painter.drawEllipse(qpoint(item.center), item.radius, item.radius);
}

// Where its first letter stands on its line. `at.y` is the middle of the digits' height, which reads as the
// middle of the line.
QPointF start_of(const TextItem& item, const QFont& font) {
  const QFontMetricsF metrics(font);
  const double width =
      item.align == Align::left ? 0 : metrics.horizontalAdvance(QString::fromStdString(item.text));
  const double x = item.at.x - (item.align == Align::center  ? width / 2
                                : item.align == Align::right ? width
                                                             : 0);
  return {x, item.at.y + metrics.capHeight() / 2};
}

void paint_text(const TextItem& item, QPainter& painter) {
  const QFont font = font_of(item.px, item.face);
  painter.setFont(font);
  painter.setPen(qcolor(item.color));
  painter.drawText(start_of(item, font), QString::fromStdString(item.text));
}

}  // namespace

std::optional<std::string> text_outline(const TextItem& item) {
  const QFont font = font_of(item.px, item.face);
  QPainterPath shape;
  shape.addText(start_of(item, font), font, QString::fromStdString(item.text));
  std::string out;
  for (int i = 0; i < shape.elementCount(); ++i) {
    const QPainterPath::Element e = shape.elementAt(i);
    const char* verb = e.isMoveTo() ? "M" : e.isLineTo() ? "L" : e.isCurveTo() ? "C" : " ";
    out += fmt::format("{}{} {}", verb, hundredths(e.x), hundredths(e.y));
  }
  return out;
}

void paint(const Scene& scene, QPainter& painter) {
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setRenderHint(QPainter::TextAntialiasing, true);
  painter.fillRect(QRectF(0, 0, scene.width, scene.height), qcolor(scene.background));
  int depth = 0;
  for (const DrawRef& ref : scene.order()) {
    const auto i = static_cast<size_t>(ref.index);
    switch (ref.kind) {
      case DrawRef::Kind::rect:
        paint_rect(scene.rects()[i], painter);
        break;
      case DrawRef::Kind::line:
        paint_line(scene.lines()[i], painter);
        break;
      case DrawRef::Kind::circle:
        paint_circle(scene.circles()[i], painter);
        break;
      case DrawRef::Kind::text:
        paint_text(scene.texts()[i], painter);
        break;
      case DrawRef::Kind::clip: {
        const ClipItem& clip = scene.clips()[i];
        if (clip.rect.w >= 0) {
          painter.save();
          painter.setClipRect(qrect(clip.rect), Qt::IntersectClip);
          ++depth;
        } else if (depth > 0) {
          painter.restore();
          --depth;
        }
        break;
      }
    }
  }
  for (; depth > 0; --depth) painter.restore();
}

QImage to_image(const Scene& scene, double scale) {
  const int width = std::max(1, static_cast<int>(std::ceil(scene.width * scale)));
  const int height = std::max(1, static_cast<int>(std::ceil(scene.height * scale)));
  QImage image(width, height, QImage::Format_ARGB32_Premultiplied);
  image.fill(qcolor(scene.background));
  QPainter painter(&image);
  painter.scale(scale, scale);
  paint(scene, painter);
  return image;
}

// Qt takes 10 to 20 µs for a width, most of it to find the font, and a layout asks for the same few hundred
// texts with every frame.
float measure_text(std::string_view text, float px, Face face) {
  if (qGuiApp == nullptr) return estimate_text_width(text, px, face);
  constexpr size_t kMostKnown = 32768;
  thread_local std::unordered_map<std::string, float> known;
  thread_local std::string key;
  key.assign(text);
  key.append(reinterpret_cast<const char*>(&px), sizeof px);
  key += static_cast<char>(face);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  if (known.size() >= kMostKnown) known.clear();
  const QFontMetricsF metrics(font_of(px, face));
  const auto width = static_cast<float>(
      metrics.horizontalAdvance(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()))));
  known.emplace(key, width);
  return width;
}

}  // namespace shardscope::inline views
