// SPDX-License-Identifier: Apache-2.0
#include "views/host/raster_surface.h"

#include <QImage>
#include <QPaintEvent>
#include <QPainter>
#include <cmath>

#include "views/draw/gui/imgui_draw.h"
#include "views/draw/gui/imgui_raster.h"

namespace shardscope::inline views {
namespace {

class RasterSurface : public QWidget {
 public:
  RasterSurface(SurfaceSource source, QWidget* parent) : QWidget(parent), source_(std::move(source)) {
    setAttribute(Qt::WA_OpaquePaintEvent);
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    const Scene& scene = source_.scene();
    const double scale = devicePixelRatioF();
    const int w = static_cast<int>(std::ceil(width() * scale));
    const int h = static_cast<int>(std::ceil(height() * scale));
    if (w <= 0 || h <= 0) return;
    if (image_.width() != w || image_.height() != h) image_ = QImage(w, h, QImage::Format_RGB32);
    frame_.fonts().prepare(scene, scale);
    rasterise(*frame_.draw(scene, w, h, scale), *frame_.fonts().atlas(), image_);
    image_.setDevicePixelRatio(scale);
    QPainter painter(this);
    painter.drawImage(0, 0, image_);
    source_.painted();
  }

 private:
  SurfaceSource source_;
  ImGuiFrame frame_;
  QImage image_;
};

}  // namespace

QWidget* make_raster_surface(SurfaceSource source, QWidget* parent) {
  return new RasterSurface(std::move(source), parent);
}

}  // namespace shardscope::inline views
