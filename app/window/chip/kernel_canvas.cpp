// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_canvas.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

#include "app/window/document/language.h"
#include "app/window/widgets/picture_canvas.h"

namespace shardscope::inline window {
namespace {

constexpr float kMostZoom = 16;
constexpr int kLinesPerStep = 3;
constexpr int64_t kShownRows = 8, kShownCols = 8;  // of a buffer, in its tooltip

}  // namespace

KernelCanvas::KernelCanvas(KernelPlayer& player, QWidget* parent) : CanvasView(parent), player_(player) {
  setObjectName("Kernel");
  setAccessibleName("Kernel: text, devices and copies at one step"_tr);
  connect(&player_, &KernelPlayer::changed, this, [this] {
    viewport_.first_line = 0;  // back to where the devices are
    invalidate();
  });
  connect(&player_, &KernelPlayer::kernelChanged, this, [this] { viewport_ = {}; });
}

void KernelCanvas::setMessage(const QString& text, bool broken) {
  message_ = text;
  broken_ = broken;
  invalidate();
}

KernelViewInput KernelCanvas::input() const {
  return {player_.shown()->layout, player_.frame(), player_.steps(), player_.finding()};
}

Scene KernelCanvas::layout(const Canvas& canvas) const {
  if (!player_.canStep()) return message_scene(message_, broken_, 0, canvas);
  return layout_kernel(input(), viewport_, canvas);
}

void KernelCanvas::select(const ItemId& item) {
  viewport_.selected = item == viewport_.selected ? ItemId{} : item;
  invalidate();
  Q_EMIT selectionChanged();
}

void KernelCanvas::showLine(int line) {
  ItemId item;
  item.kind = ItemId::Kind::instruction;
  item.index = line;
  if (line > 0 && viewport_.selected != item) select(item);
}

QStringList KernelCanvas::tooltip(const ItemId& item) const {
  QStringList lines;
  if (!player_.canStep()) return lines;
  for (const std::string& line : describe_kernel(input(), item)) lines << QString::fromStdString(line);
  return lines + numbers(item);
}

// The upper left corner of a buffer; "·" where nothing was written.
QStringList KernelCanvas::numbers(const ItemId& item) const {
  QStringList lines;
  if (item.kind != ItemId::Kind::buffer) return lines;
  const kernels::Numbers values = player_.shown()->replay->values(player_.step(), item.device, item.index);
  const KernelBuffer& buffer = player_.shown()->layout.buffers[static_cast<size_t>(item.index)];
  if (values.empty()) return {"too large for its numbers to be followed"_tr};
  for (int64_t row = 0; row < std::min(buffer.rows, kShownRows); ++row) {
    QString line;
    for (int64_t col = 0; col < std::min(buffer.cols, kShownCols); ++col) {
      const float value = values[static_cast<size_t>(row * buffer.cols + col)];
      line +=
          (std::isnan(value) ? QString("·") : QString::number(static_cast<double>(value))).rightJustified(6);
    }
    lines << line + (buffer.cols > kShownCols ? " …" : "");
  }
  if (buffer.rows > kShownRows) lines << "…";
  return lines;
}

void KernelCanvas::itemHovered(const ItemId& item) {
  viewport_.hovered = item;
  invalidate();
}

void KernelCanvas::itemClicked(const ItemId& item) {
  if (item.kind != ItemId::Kind::step) return select(item);
  // A frame's findings are the schedule's, as far as they were noticed.
  if (static_cast<size_t>(item.index) >= player_.frame().findings.size()) return;
  const KernelFinding& wanted = player_.frame().findings[static_cast<size_t>(item.index)];
  const auto& all = player_.findings();
  const auto found = std::find(all.begin(), all.end(), wanted);
  if (found != all.end()) player_.lookAt(static_cast<int>(found - all.begin()));
}

bool KernelCanvas::dragStarted(QPointF at, Qt::MouseButton button) {
  if (!player_.canStep() || button == Qt::RightButton) return false;
  return kernel_areas(input(), canvas())
      .devices.contains({static_cast<float>(at.x()), static_cast<float>(at.y())});
}

void KernelCanvas::dragged(QPointF /*from*/, QPointF /*at*/, QPointF by) {
  viewport_.pan.x += static_cast<float>(by.x());
  viewport_.pan.y += static_cast<float>(by.y());
  invalidate();
}

void KernelCanvas::scrollLines(int by) {
  if (!player_.canStep()) return;
  // What is shown now is what the layout chose, when nobody has scrolled yet.
  int32_t first = viewport_.first_line;
  if (first == 0) {
    for (const ItemId& id : scene().ids()) {
      if (id.kind == ItemId::Kind::instruction && (first == 0 || id.index < first)) first = id.index;
    }
  }
  const int32_t lines = static_cast<int32_t>(player_.shown()->layout.listing.lines.size());
  const int32_t last = std::max(1, lines - kernel_areas(input(), canvas()).lines + 1);
  viewport_.first_line = std::clamp(first + by, 1, last);
  invalidate();
}

void KernelCanvas::zoomAt(QPointF at, double factor) {
  if (!player_.canStep()) return;
  const Rect area = kernel_areas(input(), canvas()).devices;
  const float zoom = std::clamp(viewport_.zoom * static_cast<float>(factor), 1.0F, kMostZoom);
  const float real = zoom / viewport_.zoom;
  const float x = static_cast<float>(at.x()) - area.x, y = static_cast<float>(at.y()) - area.y;
  viewport_.pan = {x - (x - viewport_.pan.x) * real, y - (y - viewport_.pan.y) * real};
  viewport_.zoom = zoom;
  if (zoom == 1) viewport_.pan = {};
  invalidate();
}

void KernelCanvas::fitAll() {
  viewport_.zoom = 1;
  viewport_.pan = {};
  viewport_.first_line = 0;
  invalidate();
}

void KernelCanvas::wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers /*modifiers*/) {
  if (!player_.canStep()) return;
  const bool on_text = at.x() < static_cast<double>(kernel_areas(input(), canvas()).devices.x);
  if (on_text) {
    scrollLines(-static_cast<int>(std::lround(steps.y() * kLinesPerStep)));
  } else {
    zoomAt(at, std::pow(kZoomPerStep, steps.y()));
  }
}

void KernelCanvas::keyPressEvent(QKeyEvent* event) {
  const bool plain = event->modifiers() == Qt::NoModifier;
  switch (plain ? physical_key(*event) : static_cast<Qt::Key>(0)) {
    case Qt::Key_W:
      return zoomBy(kZoomPerStep);
    case Qt::Key_S:
      return zoomBy(1 / kZoomPerStep);
    case Qt::Key_A:
      return dragged({}, {}, {40, 0});
    case Qt::Key_D:
      return dragged({}, {}, {-40, 0});
    default:
      break;
  }
  switch (event->key()) {
    case Qt::Key_Up:
      return scrollLines(-1);
    case Qt::Key_Down:
      return scrollLines(1);
    case Qt::Key_F:
      return fitAll();
    case Qt::Key_Escape:
      select({});
      break;  // the panel has something to let go of, too
    default:
      break;
  }
  CanvasView::keyPressEvent(event);
}

}  // namespace shardscope::inline window
