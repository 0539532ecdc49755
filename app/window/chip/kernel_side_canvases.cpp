// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_side_canvases.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

#include "app/window/document/language.h"
#include "app/window/widgets/picture_canvas.h"
#include "engine/kernels/catalogue/catalogue.h"
#include "views/scene/chip/kernel_canvas.h"

namespace shardscope::inline window {
namespace {

constexpr int kRowsPerStep = 3;

// Kernels that `mended` mends.
QString mends(const std::string& mended) {
  QStringList out;
  for (const kernels::KernelEntry& entry : kernels::catalogue()) {
    if (entry.broken && entry.mended == mended) out << QString::fromStdString(entry.id);
  }
  return out.join(", ");
}

}  // namespace

KernelFixCanvas::KernelFixCanvas(KernelPlayer& player, QWidget* parent)
    : CanvasView(parent), player_(player) {
  setObjectName("KernelFix");
  setAccessibleName("The broken kernel's text beside its mended twin's"_tr);
  connect(&player_, &KernelPlayer::kernelChanged, this, [this] {
    first_row_ = 0;
    invalidate();
  });
}

Scene KernelFixCanvas::layout(const Canvas& canvas) const {
  const ShownKernelPtr& shown = player_.shown();
  if (shown && shown->twin) return layout_kernel_fix(shown->layout, *shown->twin, first_row_, canvas);
  QString text = "A broken kernel's text stands here beside its mended twin's."_tr;
  if (shown) {
    const QString id = QString::fromStdString(shown->entry.id), others = mends(shown->entry.id);
    if (shown->entry.broken) {
      text = "%1 refuses these sizes: choose others."_tr.arg(QString::fromStdString(shown->entry.mended));
    } else if (!others.isEmpty()) {
      text =
          "%1 is sound. It is what mends %2: choose one of those to see the difference."_tr.arg(id, others);
    } else {
      text = id + " is sound and has no broken twin."_tr;
    }
  }
  return message_scene(text, false, 0, canvas);
}

void KernelFixCanvas::scroll(int by) {
  const ShownKernelPtr& shown = player_.shown();
  if (!shown || !shown->twin) return;
  const auto rows = static_cast<int>(compare_kernels(shown->layout.listing, shown->twin->listing).size());
  first_row_ = std::clamp(first_row_ + by, 0, std::max(0, rows - 4));
  invalidate();
}

void KernelFixCanvas::wheeled(QPointF /*at*/, QPointF steps, Qt::KeyboardModifiers /*modifiers*/) {
  scroll(-static_cast<int>(std::lround(steps.y() * kRowsPerStep)));
}

void KernelFixCanvas::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Up) return scroll(-1);
  if (event->key() == Qt::Key_Down) return scroll(1);
  CanvasView::keyPressEvent(event);
}

KernelTimeCanvas::KernelTimeCanvas(KernelPlayer& player, QWidget* parent)
    : CanvasView(parent), player_(player) {
  setObjectName("KernelTime");
  setAccessibleName("The kernel's time: matrix unit, hbm, links, waiting; vmem and semaphores"_tr);
  connect(&player_, &KernelPlayer::kernelChanged, this, [this] {
    viewport_ = {};
    invalidate();
  });
}

const KernelTime* KernelTimeCanvas::time() const {
  const ShownKernelPtr& shown = player_.shown();
  return shown && shown->time ? &*shown->time : nullptr;
}

void KernelTimeCanvas::setMessage(const QString& text) {
  message_ = text;
  invalidate();
}

Scene KernelTimeCanvas::layout(const Canvas& canvas) const {
  if (time() != nullptr) return layout_kernel_time(player_.shown()->layout, *time(), viewport_, canvas);
  const QString why = player_.shown() ? QString::fromStdString(player_.shown()->no_time) : message_;
  return message_scene(player_.shown() ? "No time: "_tr + why : why, false, 0, canvas);
}

QStringList KernelTimeCanvas::tooltip(const ItemId& item) const {
  QStringList lines;
  if (time() == nullptr) return lines;
  for (const std::string& line : describe_kernel_time(player_.shown()->layout, *time(), item))
    lines << QString::fromStdString(line);
  return lines;
}

void KernelTimeCanvas::itemClicked(const ItemId& item) {
  if (item.device >= 0) choose(item.device);
  if (item.kind == ItemId::Kind::event) Q_EMIT lineChosen(item.index);
}

void KernelTimeCanvas::choose(int device) {
  if (time() == nullptr) return;
  viewport_.device = std::clamp(device, 0, static_cast<int>(time()->devices.size()) - 1);
  invalidate();
}

void KernelTimeCanvas::show(TimeRange range) {
  if (range.length() <= 0) return;
  viewport_.range = range;
  invalidate();
}

void KernelTimeCanvas::zoom(double x, double factor) {
  if (time() == nullptr) return;
  const TimeAxis axis = kernel_time_axis(*time(), viewport_, canvas());
  show(axis.zoomed(static_cast<float>(x), factor, {0, time()->total}));
}

bool KernelTimeCanvas::dragStarted(QPointF /*at*/, Qt::MouseButton button) {
  return time() != nullptr && button != Qt::RightButton;
}

void KernelTimeCanvas::dragged(QPointF /*from*/, QPointF /*at*/, QPointF by) {
  if (time() == nullptr) return;
  const TimeAxis axis = kernel_time_axis(*time(), viewport_, canvas());
  show(axis.panned(static_cast<float>(by.x()), {0, time()->total}));
}

void KernelTimeCanvas::wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers /*modifiers*/) {
  zoom(at.x(), std::pow(CanvasView::kZoomPerStep, steps.y()));
}

void KernelTimeCanvas::keyPressEvent(QKeyEvent* event) {
  const bool plain = event->modifiers() == Qt::NoModifier;
  switch (plain ? physical_key(*event) : static_cast<Qt::Key>(0)) {
    case Qt::Key_W:
      return zoom(width() / 2.0, CanvasView::kZoomPerStep);
    case Qt::Key_S:
      return zoom(width() / 2.0, 1 / CanvasView::kZoomPerStep);
    case Qt::Key_A:
      return dragged({}, {}, {60, 0});
    case Qt::Key_D:
      return dragged({}, {}, {-60, 0});
    default:
      break;
  }
  switch (event->key()) {
    case Qt::Key_Up:
      return choose(viewport_.device - 1);
    case Qt::Key_Down:
      return choose(viewport_.device + 1);
    case Qt::Key_F:
      viewport_.range = {};
      return invalidate();
    default:
      CanvasView::keyPressEvent(event);
  }
}

}  // namespace shardscope::inline window
