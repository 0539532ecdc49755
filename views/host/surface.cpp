// SPDX-License-Identifier: Apache-2.0
#include "views/host/surface.h"

#include <QGuiApplication>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QStringList>

#include "views/host/gl_surface.h"
#include "views/host/raster_surface.h"

namespace shardscope::inline views {
namespace {

// The renderer's name, or nothing when there is no usable OpenGL.
QString gl_renderer() {
  static const QStringList kWithoutGl{"offscreen", "minimal", "linuxfb", "vnc"};
  if (kWithoutGl.contains(QGuiApplication::platformName())) return {};
  QOpenGLContext context;
  context.setFormat(gl_format());
  if (!context.create()) return {};
  QOffscreenSurface surface;
  surface.setFormat(context.format());
  surface.create();
  if (!surface.isValid() || !context.makeCurrent(&surface)) return {};
  const auto* name = reinterpret_cast<const char*>(context.functions()->glGetString(GL_RENDERER));
  QString renderer = name != nullptr ? QString::fromUtf8(name) : QString();
  context.doneCurrent();
  return renderer;
}

SurfaceChoice choose() {
  const QByteArray wish = qgetenv("SHARDSCOPE_HOST");
  if (wish == "raster") return {SurfaceKind::raster, "raster host (SHARDSCOPE_HOST)"};
  const QString renderer = gl_renderer();
  if (renderer.isEmpty()) return {SurfaceKind::raster, "raster host (no OpenGL)"};
  const bool software = renderer.contains("llvmpipe", Qt::CaseInsensitive) ||
                        renderer.contains("softpipe", Qt::CaseInsensitive) ||
                        renderer.contains("swrast", Qt::CaseInsensitive) ||
                        renderer.contains("software", Qt::CaseInsensitive);
  const QString name = renderer.section(" (", 0, 0);
  if (software && wish != "gl") return {SurfaceKind::raster, "raster host (software OpenGL: " + name + ")"};
  return {SurfaceKind::gl, "OpenGL host (" + name + ")"};
}

}  // namespace

const SurfaceChoice& surface_choice() {
  static const SurfaceChoice choice = choose();
  return choice;
}

QWidget* make_surface(SurfaceKind kind, SurfaceSource source, QWidget* parent) {
  QWidget* surface = kind == SurfaceKind::gl ? make_gl_surface(std::move(source), parent)
                                             : make_raster_surface(std::move(source), parent);
  surface->setAttribute(Qt::WA_TransparentForMouseEvents);
  surface->setFocusPolicy(Qt::NoFocus);
  return surface;
}

}  // namespace shardscope::inline views
