// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/mesh_picture.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPathStroker>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "app/window/document/language.h"
#include "app/window/widgets/chip_speeds.h"
#include "engine/hardware/fabric.h"

namespace shardscope::inline window {
namespace {

constexpr int64_t kMostDevices = 1024;
constexpr double kCell = 42, kTallest = 150;  // pixels at 100 %
constexpr double kLeastCell = 20;             // of a large mesh; smaller ones are folded
constexpr int64_t kMostWhole = 32;            // chips that are all drawn, however small
constexpr double kEdge = 0.8;                 // cells for what goes round
constexpr int kLeastDigits = 8;               // pixels of a number that can be read
constexpr double kClick = 4;                  // a shorter way of the mouse is a click

QColor shown_color(Color c) {
  return {c.r, c.g, c.b, c.a};
}

// Where chips are folded away.
template <class PlaceOf>
void paint_gaps(QPainter& painter, const FoldedMesh& mesh, double size, const PlaceOf& place_of) {
  QFont font = painter.font();
  font.setPixelSize(std::max(1, static_cast<int>(size * 0.6)));
  painter.setFont(font);
  const auto& [across, down] = mesh;
  const auto dots = [&](int64_t chip, const char* sign) {
    painter.drawText(QRectF(place_of(chip) - QPointF(size / 2, size / 2), QSizeF(size, size)),
                     Qt::AlignCenter, sign);
  };
  for (int64_t r = 0; r < down.count && across.slots < across.count; ++r)
    if (down.shows(r)) dots(r * across.count + across.first, "⋯");
  for (int64_t c = 0; c < across.count && down.slots < down.count; ++c)
    if (across.shows(c)) dots(down.first * across.count + c, "⋮");
}

}  // namespace

MeshPicture::MeshPicture(QWidget* parent) : QWidget(parent), theme_(light_theme()) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName("Picture of the mesh"_tr);
}

bool MeshPicture::drawn() const {
  return mesh_.device_count() <= kMostDevices;
}

void MeshPicture::setMesh(const Mesh& mesh, const HardwareOverrides& overrides) {
  mesh_ = mesh;
  overrides_ = overrides;
  // The last axis lies along x; all others stack downwards.
  cols_ = mesh.rank() > 0 ? mesh.axis_size(mesh.rank() - 1) : 1;
  rows_ = mesh.device_count() / cols_;
  device_on_.assign(static_cast<size_t>(mesh.device_count()), 0);
  for (int64_t d = 0; d < mesh.device_count(); ++d) {
    device_on_[static_cast<size_t>(mesh.chip_of(DeviceId(d)))] = static_cast<int>(d);
  }
  walked_ = std::min(walked_, mesh.device_count() - 1);
  links_size_ = {};
  const QString slow = overrides_text(overrides);
  setAccessibleDescription(
      "%1, %2. %3"_tr.arg(counted_tr(mesh.device_count(), "chip"), QString::fromStdString(mesh.text()),
                          slow.isEmpty() ? "All chips and links run at full speed"_tr : slow));
  updateGeometry();
  update();
}

void MeshPicture::setTheme(const Theme& theme) {
  theme_ = theme;
  links_size_ = {};
  updateGeometry();
  update();
}

FoldedMesh MeshPicture::folded() const {
  const bool large = mesh_.device_count() > kMostWhole;
  const auto side = [&](int64_t count, double room) -> FoldedSide {
    const auto most = std::max<int64_t>(4, static_cast<int64_t>(room / (kLeastCell * theme_.scale) - kEdge));
    if (count <= most || !large) return {count, count, count};
    return {count, most - 2, most};
  };
  return {side(cols_, width()), side(rows_, kTallest * theme_.scale)};
}

double MeshPicture::cell() const {
  return std::min({kCell * theme_.scale, width() / (static_cast<double>(folded().across.slots) + kEdge),
                   kTallest * theme_.scale / (static_cast<double>(folded().down.slots) + kEdge)});
}

QSize MeshPicture::sizeHint() const {
  const double tall = std::min(kCell * (static_cast<double>(folded().down.slots) + kEdge), kTallest);
  return {static_cast<int>(200 * theme_.scale), static_cast<int>(tall * theme_.scale)};
}

QPointF MeshPicture::placeOf(int64_t chip) const {
  const double size = cell();
  const auto [columns, rows] = folded();
  const double left = (width() - size * static_cast<double>(columns.slots)) / 2;
  const double top = (height() - size * static_cast<double>(rows.slots)) / 2;
  return {left + (static_cast<double>(columns.slot(chip % cols_)) + 0.5) * size,
          top + (static_cast<double>(rows.slot(chip / cols_)) + 0.5) * size};
}

std::vector<MeshPicture::Link> MeshPicture::links() const {
  if (links_size_ == size()) return links_;
  links_size_ = size();
  links_.clear();
  const double size = cell();
  if (!drawn()) return links_;
  const FoldedMesh all = folded();
  const Fabric fabric = torus_of(Mesh::make(mesh_.axes()).value());  // of chips, whoever runs on them
  for (int axis = 0; axis < mesh_.rank(); ++axis) {
    for (int32_t chip = 0; mesh_.axis_size(axis) > 1 && chip < fabric.devices(); ++chip) {
      const auto next = fabric.neighbour(chip, axis, 1);
      if (!next || !all.shows(chip) || !all.shows(*next)) continue;
      QPainterPath path(placeOf(chip));
      if (*next > chip) {
        path.lineTo(placeOf(*next));
      } else {
        const QPointF out = axis + 1 == mesh_.rank() ? QPointF(0, -size * 0.75) : QPointF(-size * 0.75, 0);
        path.cubicTo(placeOf(chip) + out, placeOf(*next) + out, placeOf(*next));
      }
      links_.push_back({chip, *next, axis, path});
    }
  }
  return links_;
}

QPointF MeshPicture::placeOfLink(int64_t a, int64_t b) const {
  for (const Link& link : links()) {
    if (std::minmax(link.a, link.b) == std::minmax(a, b)) return link.path.pointAtPercent(0.5);
  }
  return {};
}

int64_t MeshPicture::chipAt(QPointF at) const {
  if (!drawn()) return -1;
  const double reach = cell() * 0.32;
  const FoldedMesh all = folded();
  for (int64_t chip = 0; chip < mesh_.device_count(); ++chip) {
    if (!all.shows(chip)) continue;
    const QPointF d = placeOf(chip) - at;
    if (std::abs(d.x()) <= reach && std::abs(d.y()) <= reach) return chip;
  }
  return -1;
}

const MeshPicture::Link* MeshPicture::linkAt(QPointF at) const {
  QPainterPathStroker around;
  around.setWidth(std::max(8.0, cell() * 0.3));
  links();
  for (const Link& link : links_) {
    if (around.createStroke(link.path).contains(at)) return &link;
  }
  return nullptr;
}

QString MeshPicture::words(QPointF at) const {
  if (const int64_t chip = chipAt(at); chip >= 0) {
    const double speed = chip_speed(overrides_, chip);
    return "chip %1, device %2: %3\nClick: its speed. Drag onto another: they change places."_tr.arg(chip)
        .arg(device_on_[static_cast<size_t>(chip)])
        .arg(speed == 1 ? "full speed"_tr : "runs at "_tr + speed_text(speed));
  }
  if (const Link* link = linkAt(at)) {
    const double speed = link_speed(overrides_, link->a, link->b);
    return "link of %1 between chips %2 and %3: %4\nClick: its bandwidth."_tr
        .arg(QString::fromStdString(mesh_.axes()[static_cast<size_t>(link->axis)].name))
        .arg(link->a)
        .arg(link->b)
        .arg(speed == 1 ? "full bandwidth"_tr : speed_text(speed));
  }
  return {};
}

void MeshPicture::mousePressEvent(QMouseEvent* event) {
  pressed_ = chipAt(event->position());
  pressed_at_ = cursor_ = event->position();
  dragging_ = false;
  if (pressed_ >= 0) walked_ = pressed_;
  update();
}

void MeshPicture::mouseMoveEvent(QMouseEvent* event) {
  cursor_ = event->position();
  if (pressed_ >= 0 && event->buttons().testFlag(Qt::LeftButton)) {
    const QPointF way = cursor_ - pressed_at_;
    dragging_ = dragging_ || std::hypot(way.x(), way.y()) > kClick;
    update();
    return;
  }
  const QString text = words(cursor_);
  setCursor(text.isEmpty() ? Qt::ArrowCursor : Qt::PointingHandCursor);
  QToolTip::showText(event->globalPosition().toPoint(), text, this);
}

void MeshPicture::mouseReleaseEvent(QMouseEvent* event) {
  const int64_t from = pressed_, to = chipAt(event->position());
  const bool dragged = dragging_;
  pressed_ = -1;
  dragging_ = false;
  update();
  const QPoint global = event->globalPosition().toPoint();
  if (dragged) {
    if (from >= 0 && to >= 0 && from != to)
      Q_EMIT devicesSwapped(device_on_[static_cast<size_t>(from)], device_on_[static_cast<size_t>(to)]);
  } else if (to >= 0 && to == from) {
    Q_EMIT chipChosen(to, global);
  } else if (const Link* link = from < 0 ? linkAt(event->position()) : nullptr) {
    Q_EMIT linkChosen(link->a, link->b, global);
  }
}

void MeshPicture::leaveEvent(QEvent* event) {
  QToolTip::hideText();
  QWidget::leaveEvent(event);
}

// Along the last axis left and right, along the one before it up and down; -1 where the mesh ends.
int64_t MeshPicture::neighbour(int64_t chip, int key) const {
  const bool sideways = key == Qt::Key_Left || key == Qt::Key_Right;
  const int64_t by = (key == Qt::Key_Left || key == Qt::Key_Up) ? -1 : 1;
  const int64_t place = sideways ? chip % cols_ : chip / cols_;
  const int64_t size = sideways ? cols_ : rows_;
  const FoldedSide line = sideways ? folded().across : folded().down;
  int64_t to = place + by;
  while (to >= 0 && to < size && !line.shows(to)) to += by;
  if (to < 0 || to >= size) return -1;
  return chip + (to - place) * (sideways ? 1 : cols_);
}

void MeshPicture::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  const QPoint here = mapToGlobal(placeOf(walked_).toPoint());
  if (drawn() && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
    Q_EMIT chipChosen(walked_, here);
  } else if (drawn() && key >= Qt::Key_Left && key <= Qt::Key_Down) {
    const int64_t next = neighbour(walked_, key);
    if (next < 0) return;
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
      Q_EMIT linkChosen(walked_, next, here);
    } else {
      walked_ = next;
      update();
    }
  } else {
    QWidget::keyPressEvent(event);
  }
}

void MeshPicture::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (!drawn()) {
    painter.setPen(shown_color(theme_.muted_text));
    painter.drawText(rect(), Qt::AlignCenter, counted_tr(mesh_.device_count(), "device"));
    return;
  }
  paintLinks(painter);
  paintChips(painter);
  painter.setPen(shown_color(theme_.muted_text));
  paint_gaps(painter, folded(), cell(), [this](int64_t chip) { return placeOf(chip); });
}

void MeshPicture::paintLinks(QPainter& painter) const {
  const double size = cell();
  QFont font = painter.font();
  font.setPixelSize(std::max(6, static_cast<int>(std::min(size * 0.28, 10.0 * theme_.scale))));
  font.setBold(true);
  painter.setFont(font);
  for (const Link& link : links()) {
    const double speed = link_speed(overrides_, link.a, link.b);
    QPen pen(shown_color(axis_color(theme_, link.axis, 1)), std::max(1.5, size / 16));
    if (speed != 1) {
      pen.setColor(shown_color(theme_.warning));
      pen.setDashPattern(speed > 0 ? QList<qreal>{2, 1.5} : QList<qreal>{0.5, 3});
    }
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(link.path);
    if (speed == 1 || size < 14) continue;
    const QPointF at = link.path.pointAtPercent(0.5);
    const QString label = speed > 0 ? speed_text(speed) : QString("✕");
    const QSizeF room(QFontMetricsF(font).horizontalAdvance(label) + 4, font.pixelSize() + 2);
    const QRectF box(at - QPointF(room.width() / 2, room.height() / 2), room);
    painter.setPen(Qt::NoPen);
    painter.setBrush(shown_color(theme_.background));
    painter.drawRoundedRect(box, 2, 2);
    painter.setPen(shown_color(theme_.warning));
    painter.drawText(box, Qt::AlignCenter, label);
  }
}

void MeshPicture::paintChips(QPainter& painter) const {
  const FoldedMesh all = folded();
  const double size = cell();
  QFont font = painter.font();
  font.setBold(false);
  font.setPixelSize(kLeastDigits);
  const QString longest = QString::number(mesh_.device_count() - 1);
  const bool numbered = QFontMetricsF(font).horizontalAdvance(longest) <= size * 0.64;
  for (int64_t chip = 0; chip < mesh_.device_count(); ++chip) {
    if (!all.shows(chip)) continue;
    const double speed = chip_speed(overrides_, chip);
    const bool moved = dragging_ && chip == pressed_;
    const QPointF at = moved ? cursor_ : placeOf(chip);
    const QRectF box(at.x() - size * 0.32, at.y() - size * 0.32, size * 0.64, size * 0.64);
    const bool walked = hasFocus() && chip == walked_;
    painter.setPen(QPen(shown_color(moved || walked ? theme_.selection
                                    : speed != 1    ? theme_.warning
                                                    : theme_.muted_text),
                        walked || speed != 1 ? 2 : 1));
    painter.setBrush(shown_color(theme_.background));
    painter.drawRoundedRect(box, size * 0.1, size * 0.1);
    if (speed != 1) {
      QColor stripes = shown_color(theme_.warning);
      stripes.setAlpha(90);
      painter.setBrush(QBrush(stripes, Qt::BDiagPattern));
      painter.drawRoundedRect(box, size * 0.1, size * 0.1);
    }
    if (!numbered) continue;
    const bool two_lines = speed != 1 && size > 24;
    font.setPixelSize(std::max(
        kLeastDigits, static_cast<int>(std::min(size * (two_lines ? 0.26 : 0.36), 12.0 * theme_.scale))));
    painter.setFont(font);
    painter.setPen(shown_color(theme_.text));
    const QString device = QString::number(device_on_[static_cast<size_t>(chip)]);
    painter.drawText(box, Qt::AlignCenter, two_lines ? device + '\n' + speed_text(speed) : device);
  }
}

}  // namespace shardscope::inline window
