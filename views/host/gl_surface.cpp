// SPDX-License-Identifier: Apache-2.0
#include "views/host/gl_surface.h"

#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QOpenGLWidget>
#include <cmath>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include "views/draw/gui/imgui_draw.h"

namespace shardscope::inline views {
namespace {

class GlSurface : public QOpenGLWidget {
 public:
  GlSurface(SurfaceSource source, QWidget* parent) : QOpenGLWidget(parent), source_(std::move(source)) {
    setFormat(gl_format());
  }
  ~GlSurface() override { release(); }

 protected:
  void initializeGL() override {
    frame_.make_current();
    ImGui_ImplOpenGL3_Init("#version 150");
    ready_ = true;
    generation_ = -1;
    // A dock that floats gets a new context; what belongs to the old one goes with it.
    QObject::connect(context(), &QOpenGLContext::aboutToBeDestroyed, this, [this] { release(); });
  }

  void paintGL() override {
    const Scene& scene = source_.scene();
    const double scale = devicePixelRatioF();
    frame_.fonts().prepare(scene, scale);
    frame_.make_current();
    ImFontAtlas& atlas = *frame_.fonts().atlas();
    if (generation_ != frame_.fonts().generation()) {
      ImGui_ImplOpenGL3_DestroyFontsTexture();
      ImGui_ImplOpenGL3_CreateFontsTexture();
      texture_ = atlas.TexID;
      generation_ = frame_.fonts().generation();
    }
    atlas.SetTexID(texture_);  // the atlas is shared, its texture is this context's own
    ImGui_ImplOpenGL3_NewFrame();
    const int w = static_cast<int>(std::ceil(width() * scale));
    const int h = static_cast<int>(std::ceil(height() * scale));
    ImDrawData* drawn = frame_.draw(scene, w, h, scale);
    QOpenGLFunctions* gl = QOpenGLContext::currentContext()->functions();
    gl->glViewport(0, 0, w, h);
    gl->glClearColor(0, 0, 0, 1);
    gl->glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(drawn);
    source_.painted();
  }

 private:
  void release() {
    if (!ready_) return;
    makeCurrent();
    frame_.make_current();
    ImGui_ImplOpenGL3_Shutdown();
    doneCurrent();
    ready_ = false;
  }

  SurfaceSource source_;
  ImGuiFrame frame_;
  ImTextureID texture_ = nullptr;
  int64_t generation_ = -1;
  bool ready_ = false;
};

}  // namespace

QSurfaceFormat gl_format() {
  QSurfaceFormat format;
  format.setVersion(3, 3);
  format.setProfile(QSurfaceFormat::CoreProfile);
  format.setSamples(0);
  return format;
}

QWidget* make_gl_surface(SurfaceSource source, QWidget* parent) {
  return new GlSurface(std::move(source), parent);
}

}  // namespace shardscope::inline views
