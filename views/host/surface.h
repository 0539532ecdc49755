// SPDX-License-Identifier: Apache-2.0
// What a canvas draws on: OpenGL, or an image filled on the CPU.
#pragma once

#include <QString>
#include <QWidget>
#include <functional>
#include <memory>

#include "views/scene/core/scene.h"

namespace shardscope::inline views {

enum class SurfaceKind { raster, gl };

// Which kind canvases use, and why. Decided once per process, after QApplication exists: OpenGL when a driver
// on real hardware is there; SHARDSCOPE_HOST=gl|raster overrides. Qt 6.4 crashes on QOpenGLWidget where there
// is no OpenGL at all, so that is never tried.
struct SurfaceChoice {
  SurfaceKind kind = SurfaceKind::raster;
  QString text;  // for the status bar: "raster host (software OpenGL: llvmpipe)"
};
const SurfaceChoice& surface_choice();

// A widget that shows a scene. `scene` gives the current one; called only while painting, in logical pixels
// of the widget's own size. `painted` is called after each frame.
struct SurfaceSource {
  std::function<const Scene&()> scene;
  std::function<void()> painted;
};
QWidget* make_surface(SurfaceKind kind, SurfaceSource source, QWidget* parent);

}  // namespace shardscope::inline views
