// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/icons.h"

#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

namespace shardscope::inline window {
namespace {

QPixmap icon_pixmap(const QByteArray& svg, const QColor& color, int px) {
  QPixmap pixmap(px, px);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setOpacity(color.alphaF());
  QSvgRenderer(QByteArray(svg).replace("currentColor", color.name().toLatin1())).render(&painter);
  return pixmap;
}

}  // namespace

QIcon make_icon(const QString& name, const QColor& color, int px) {
  QFile file(":/shardscope/icons/" + name + ".svg");
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QByteArray svg = file.readAll();
  QColor faint = color;
  faint.setAlphaF(0.35F);
  QIcon icon;
  for (const int size : {px, 2 * px}) {
    icon.addPixmap(icon_pixmap(svg, color, size), QIcon::Normal);
    icon.addPixmap(icon_pixmap(svg, faint, size), QIcon::Disabled);
  }
  return icon;
}

}  // namespace shardscope::inline window
