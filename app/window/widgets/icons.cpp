// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/icons.h"

#include <QPainter>
#include <QPixmap>
#include <QPolygonF>

namespace shardscope {
namespace {

// On a 16 × 16 grid.
void draw_icon(const QString& name, QPainter& painter) {
  const auto right = [&](double x, double w) {
    painter.drawPolygon(QPolygonF({{x, 3}, {x + w, 8}, {x, 13}}));
  };
  const auto left = [&](double x, double w) {
    painter.drawPolygon(QPolygonF({{x + w, 3}, {x, 8}, {x + w, 13}}));
  };
  const auto bar = [&](double x) { painter.drawRect(QRectF(x, 3, 2, 10)); };
  if (name == "run" || name == "play") {
    right(4, 9);
  } else if (name == "run-all") {
    right(2, 6);
    right(8, 6);
  } else if (name == "cancel") {
    painter.drawRect(QRectF(4, 4, 8, 8));
  } else if (name == "pause") {
    painter.drawRect(QRectF(4, 3, 3, 10));
    painter.drawRect(QRectF(9, 3, 3, 10));
  } else if (name == "first") {
    bar(3);
    left(6, 7);
  } else if (name == "last") {
    right(3, 7);
    bar(11);
  } else if (name == "previous") {
    left(4, 7);
  } else if (name == "next") {
    right(5, 7);
  }
}

QPixmap icon_pixmap(const QString& name, const QColor& color, int px) {
  QPixmap pixmap(px, px);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.scale(px / 16.0, px / 16.0);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  draw_icon(name, painter);
  return pixmap;
}

}  // namespace

QIcon make_icon(const QString& name, const QColor& color, int px) {
  QIcon icon;
  QColor faint = color;
  faint.setAlphaF(0.35F);
  for (const int size : {px, 2 * px}) {
    icon.addPixmap(icon_pixmap(name, color, size), QIcon::Normal);
    icon.addPixmap(icon_pixmap(name, faint, size), QIcon::Disabled);
  }
  return icon;
}

}  // namespace shardscope
