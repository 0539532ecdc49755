// SPDX-License-Identifier: Apache-2.0
#include "app/window/mesh_picture.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

constexpr int64_t kMostDrawn = 1024;

QColor shown_color(Color c) {
  return {c.r, c.g, c.b, c.a};
}

}  // namespace

MeshPicture::MeshPicture(QWidget* parent) : QWidget(parent), theme_(light_theme()) {
  setMouseTracking(true);
  setAccessibleName("Picture of the mesh");
}

void MeshPicture::setMesh(const Mesh& mesh) {
  mesh_ = mesh;
  // The last axis lies along x; all others stack downwards.
  cols_ = mesh.rank() > 0 ? mesh.axis_size(mesh.rank() - 1) : 1;
  rows_ = mesh.device_count() / cols_;
  device_on_.assign(static_cast<size_t>(mesh.device_count()), 0);
  for (int64_t d = 0; d < mesh.device_count(); ++d) {
    device_on_[static_cast<size_t>(mesh.chip_of(DeviceId(d)))] = static_cast<int>(d);
  }
  updateGeometry();
  update();
}

void MeshPicture::setTheme(const Theme& theme) {
  theme_ = theme;
  updateGeometry();
  update();
}

double MeshPicture::cell() const {
  const double largest = 34 * static_cast<double>(theme_.scale);
  return std::min({largest, width() / (static_cast<double>(cols_) + 0.8),
                   130.0 * theme_.scale / (static_cast<double>(rows_) + 0.8)});
}

QSize MeshPicture::sizeHint() const {
  const double tall =
      std::min(34.0 * theme_.scale * (static_cast<double>(rows_) + 0.8), 130.0 * theme_.scale);
  return {static_cast<int>(200 * theme_.scale), static_cast<int>(tall)};
}

QPointF MeshPicture::placeOf(int64_t chip) const {
  const double size = cell();
  const double left = (width() - size * static_cast<double>(cols_)) / 2;
  const double top = (height() - size * static_cast<double>(rows_)) / 2;
  return {left + (static_cast<double>(chip % cols_) + 0.5) * size,
          top + (static_cast<double>(chip / cols_) + 0.5) * size};
}

int MeshPicture::deviceAt(QPointF at) const {
  if (mesh_.device_count() > kMostDrawn) return -1;
  for (int64_t chip = 0; chip < mesh_.device_count(); ++chip) {
    const QPointF d = placeOf(chip) - at;
    if (std::hypot(d.x(), d.y()) < cell() * 0.45) return device_on_[static_cast<size_t>(chip)];
  }
  return -1;
}

void MeshPicture::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (mesh_.device_count() > kMostDrawn) {
    painter.setPen(shown_color(theme_.muted_text));
    painter.drawText(rect(), Qt::AlignCenter, QString("%1 devices").arg(mesh_.device_count()));
    return;
  }
  const double size = cell();
  const int rank = mesh_.rank();
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t n = mesh_.axis_size(axis);
    if (n < 2) continue;
    painter.setPen(QPen(shown_color(axis_color(theme_, axis, 1)), std::max(1.5, size / 16)));
    painter.setBrush(Qt::NoBrush);
    for (int64_t chip = 0; chip < mesh_.device_count(); ++chip) {
      const int64_t c = mesh_.coordinate(DeviceId(chip), axis);
      const QPointF a = placeOf(chip);
      if (c + 1 < n) {
        painter.drawLine(a, placeOf(chip + mesh_.stride(axis)));
      } else if (mesh_.axes()[static_cast<size_t>(axis)].wrap && n > 2) {
        const QPointF b = placeOf(chip - mesh_.stride(axis) * (n - 1));
        QPainterPath path(a);
        const QPointF out = axis + 1 == rank ? QPointF(0, -size * 0.75) : QPointF(-size * 0.75, 0);
        path.cubicTo(a + out, b + out, b);
        painter.drawPath(path);
      }
    }
  }
  QFont font = painter.font();
  font.setPixelSize(std::max(6, static_cast<int>(std::min(size * 0.36, 12.0 * theme_.scale))));
  painter.setFont(font);
  for (int64_t chip = 0; chip < mesh_.device_count(); ++chip) {
    const int device = device_on_[static_cast<size_t>(chip)];
    const QPointF at = device == dragged_ ? cursor_ : placeOf(chip);
    const QRectF box(at.x() - size * 0.3, at.y() - size * 0.3, size * 0.6, size * 0.6);
    painter.setPen(QPen(shown_color(device == dragged_ ? theme_.selection : theme_.muted_text), 1));
    painter.setBrush(shown_color(theme_.background));
    painter.drawRoundedRect(box, size * 0.1, size * 0.1);
    painter.setPen(shown_color(theme_.text));
    if (size > 14) painter.drawText(box, Qt::AlignCenter, QString::number(device));
  }
}

void MeshPicture::mousePressEvent(QMouseEvent* event) {
  dragged_ = deviceAt(event->position());
  cursor_ = event->position();
  update();
}

void MeshPicture::mouseMoveEvent(QMouseEvent* event) {
  if (dragged_ < 0) {
    setCursor(deviceAt(event->position()) >= 0 ? Qt::OpenHandCursor : Qt::ArrowCursor);
    return;
  }
  cursor_ = event->position();
  update();
}

void MeshPicture::mouseReleaseEvent(QMouseEvent* event) {
  const int from = dragged_;
  dragged_ = -1;
  update();
  const int to = deviceAt(event->position());
  if (from >= 0 && to >= 0 && from != to) Q_EMIT devicesSwapped(from, to);
}

}  // namespace shardscope
