// SPDX-License-Identifier: Apache-2.0
// Panning a large run's views, frame by frame, the parts of a frame apart: the scene (and that of a step to
// another moment), ImGui's draw list, its pixels by our own rasteriser, and whole frames of both hosts
// without the scene. The OpenGL host's is in real time, as a software driver rasterises in threads of its
// own. A frame of 60 a second has 16.7 ms.
//
//   xvfb-run -a -s "-screen 0 1600x1000x24 +extension GLX -nolisten tcp" pan_bench    with OpenGL
//   QT_QPA_PLATFORM=offscreen pan_bench                                               without
#include <QApplication>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <benchmark/benchmark.h>
#include <imgui.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "app/window/document/shown_run.h"
#include "engine/schedule/schedule.h"
#include "engine/strategies/strategy.h"
#include "views/draw/gui/imgui_draw.h"
#include "views/draw/gui/imgui_raster.h"
#include "views/draw/paint.h"
#include "views/host/surface.h"
#include "views/scene/core/run_views.h"
#include "views/scene/story/found_once.h"

namespace shardscope {
namespace {

constexpr int kWidth = 1200, kHeight = 900;

// Every device multiplies and sends at each step. As the window has it; stories are told of 1,024 devices at
// most: the ring does without one, the grid says so.
struct Shown {
  ShownRunPtr run;
  ViewInput input() const { return run->input(); }
  void stand(Picoseconds time) {
    if (run->story) held_now(input(), time);
  }
};

Shown made_on(const std::string& mesh) {
  auto run = std::make_shared<Run>();
  run->strategy = "wang.os";
  run->mesh = Mesh::parse(mesh).value();
  run->problem = {8192, 8192, 8192};
  run->hardware = find_hardware("tpu-v5e").value();
  run->program = find_strategy(run->strategy).value()->plan(run->mesh, run->problem, {}).value();
  run->timeline = schedule(run->program, run->hardware, {}, {}).value();
  Shown out{with_story(show(run), {})};
  out.stand(run->timeline.total / 2);
  term_counts(out.input(), RowChoice());
  return out;
}

struct View {
  const char* id;
  const char* mesh;
};
constexpr View kViews[] = {{"ring", "row=64,col=64"}, {"timeline", "row=64,col=64"},
                           {"ring", "row=32,col=32"}, {"ring", "row=16,col=16"},
                           {"grid", "row=64,col=64"}, {"grid", "row=32,col=32"}};

Shown& shown(const View& view) {
  static std::map<std::string, Shown> kept;
  Shown& here = kept[view.mesh];
  if (here.run == nullptr) here = made_on(view.mesh);
  return here;
}

Canvas canvas() {
  Canvas out;
  out.width = kWidth;
  out.height = kHeight;
  out.theme = light_theme();
  out.measure = measure_text;
  return out;
}

// A little further with each frame.
Scene scene_at(const View& view, int64_t frame) {
  const Shown& now = shown(view);
  const Picoseconds total = now.run->run->timeline.total;
  Selection half;
  half.time = total / 2;
  if (std::string_view(view.id) == "timeline") {
    TimelineViewport viewport;
    const Picoseconds quarter = total / 4;
    const Picoseconds by = quarter * (frame % 60) / 60;
    viewport.range = {quarter + by, 2 * quarter + by};
    viewport.scroll_y = static_cast<float>(frame % 60);
    return layout_timeline(now.input(), viewport, half, canvas());
  }
  Plane plane;
  plane.pan = {static_cast<float>(frame % 60), static_cast<float>(frame % 40)};
  return layout_named(view.id, now.input(), half, canvas(), plane).value();
}

void scene(benchmark::State& state, const View& view) {
  shown(view);
  int64_t frame = 0;
  size_t items = 0;
  for (auto _ : state) items = scene_at(view, ++frame).order().size();
  state.counters["items"] = static_cast<double>(items);
}

// The middle of the run again, as if it were another moment.
void step(benchmark::State& state, const View& view) {
  Shown& here = shown(view);
  for (auto _ : state) {
    here.stand(here.run->run->timeline.total / 2);
    benchmark::DoNotOptimize(scene_at(view, 0).order().size());
  }
}

void draw_list(benchmark::State& state, const View& view) {
  ImGuiFrame frame;
  const Scene drawn = scene_at(view, 1);
  frame.fonts().prepare(drawn, 1);
  int vertices = 0;
  for (auto _ : state) vertices = frame.draw(drawn, kWidth, kHeight, 1)->TotalVtxCount;
  state.counters["vertices"] = vertices;
}

void cpu_raster(benchmark::State& state, const View& view) {
  ImGuiFrame frame;
  const Scene drawn = scene_at(view, 1);
  frame.fonts().prepare(drawn, 1);
  const ImDrawData* data = frame.draw(drawn, kWidth, kHeight, 1);
  QImage image(kWidth, kHeight, QImage::Format_RGB32);
  for (auto _ : state) rasterise(*data, *frame.fonts().atlas(), image);
}

// A window of this host: from wanting a frame to having painted it, the draw list included.
void host(benchmark::State& state, const View& view, SurfaceKind kind) {
  if (kind == SurfaceKind::gl && surface_choice().text.contains("no OpenGL"))
    return state.SkipWithError("no OpenGL here");
  const Scene drawn = scene_at(view, 1);
  int painted = 0;
  QWidget window;
  window.resize(kWidth, kHeight);
  QWidget* surface =
      make_surface(kind, {[&]() -> const Scene& { return drawn; }, [&] { ++painted; }}, &window);
  surface->resize(kWidth, kHeight);
  window.show();
  const auto paint = [&] {
    const int before = painted;
    surface->update();
    while (painted == before) QCoreApplication::processEvents(QEventLoop::AllEvents);
    if (QOpenGLContext* now = QOpenGLContext::currentContext()) now->functions()->glFinish();
  };
  paint();
  for (auto _ : state) paint();
  state.SetLabel(surface_choice().text.toStdString());
}

void add(const View& view) {
  const std::string name = std::string(view.id) + ' ' + view.mesh + '/';
  const auto ms = [](benchmark::internal::Benchmark* made) { made->Unit(benchmark::kMillisecond); };
  ms(benchmark::RegisterBenchmark((name + "scene").c_str(), scene, view));
  ms(benchmark::RegisterBenchmark((name + "step").c_str(), step, view));
  ms(benchmark::RegisterBenchmark((name + "draw_list").c_str(), draw_list, view));
  ms(benchmark::RegisterBenchmark((name + "cpu_raster").c_str(), cpu_raster, view));
  ms(benchmark::RegisterBenchmark((name + "raster_host").c_str(), host, view, SurfaceKind::raster));
  ms(benchmark::RegisterBenchmark((name + "gl_host").c_str(), host, view, SurfaceKind::gl)->UseRealTime());
}

}  // namespace
}  // namespace shardscope

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  benchmark::Initialize(&argc, argv);
  for (const shardscope::View& view : shardscope::kViews) shardscope::add(view);
  benchmark::RunSpecifiedBenchmarks();
}
