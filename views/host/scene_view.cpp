// SPDX-License-Identifier: Apache-2.0
#include "views/host/scene_view.h"

#include <QEvent>
#include <QResizeEvent>
#include <utility>

#include "views/draw/paint.h"
#include "views/host/canvas_accessible.h"
#include "views/host/surface.h"

namespace shardscope::inline views {

SceneView::SceneView(QWidget* parent) : QWidget(parent), theme_(light_theme()) {
  install_canvas_accessibility();
  setAttribute(Qt::WA_OpaquePaintEvent);
  surface_ = make_surface(surface_choice().kind,
                          {[this]() -> const Scene& { return scene(); }, [this] { ++frames_; }}, this);
}

const Scene& SceneView::scene() const {
  if (dirty_) {
    scene_ = layout(canvas());
    if (reading_) scene_.rewrite(reading_);
    dirty_ = false;
    ++layouts_;
  }
  return scene_;
}

void SceneView::invalidate() {
  dirty_ = true;
  surface_->update();
}

void SceneView::setTheme(const Theme& theme) {
  theme_ = theme;
  invalidate();
}

void SceneView::setReading(std::function<std::string(const std::string&)> reading) {
  reading_ = std::move(reading);
  invalidate();
}

Canvas SceneView::canvas() const {
  return {static_cast<float>(width()), static_cast<float>(height()), theme_, measure_text};
}

QSize SceneView::sizeHint() const {
  return {480, 240};
}

QSize SceneView::minimumSizeHint() const {
  return {120, 80};
}

void SceneView::resizeEvent(QResizeEvent* event) {
  surface_->setGeometry(QRect(QPoint(), event->size()));
  invalidate();
}

void SceneView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) invalidate();
}

void SceneView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  surface_->setGeometry(rect());
}

}  // namespace shardscope::inline views
