// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/screenshot.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QTimer>
#include <cstdlib>

#include "app/window/shell/main_window.h"
#include "views/draw/paint.h"

// Outside of any namespace, as the macro wants it.
static void init_window_resources() {
  Q_INIT_RESOURCE(window);
}

namespace shardscope {
namespace {

constexpr int kSettleMs = 200;

// The step nearest to the middle in which blocks travel; the first and the last show little.
int telling_step(const ShownRunPtr& shown) {
  if (!shown) return 0;
  const int middle = static_cast<int>(shown->steps.size()) / 2;
  int best = middle;
  int distance = static_cast<int>(shown->steps.size());
  for (size_t i = 0; i < shown->steps.size(); ++i) {
    const int away = std::abs(static_cast<int>(i) - middle);
    if (shown->steps[i].transfer_step >= 0 && away < distance) {
      best = static_cast<int>(i);
      distance = away;
    }
  }
  return best;
}

QString view_words(const MainWindow& window) {
  QStringList names;
  for (const RunCanvas* canvas : window.canvases()) names << canvas->viewName();
  return (names + MainWindow::panelNames()).join(", ");
}

// A dock with a job of its own: does it, then is drawn as large as the window.
void shoot_panel(MainWindow& window, const QString& view, const QString& path,
                 const std::function<void(Result<void>)>& done) {
  const MainWindow::Panel panel = window.showPanel(view);
  panel.run();
  auto* timer = new QTimer(&window);
  QObject::connect(timer, &QTimer::timeout, &window, [&window, panel, path, done, timer] {
    if (panel.job->busy()) return;
    timer->stop();
    timer->deleteLater();
    if (auto* dock = qobject_cast<QDockWidget*>(panel.widget->parentWidget())) dock->setFloating(true);
    panel.widget->window()->resize(window.size());
    QCoreApplication::processEvents();
    const bool saved = panel.widget->grab().toImage().save(path, "PNG");
    done(saved ? Result<void>() : io_error("cannot write the picture", path.toStdString()));
  });
  timer->start(kSettleMs);
}

Result<void> save(MainWindow& window, const QString& view, const QString& path) {
  Clock& clock = window.bench().clock();
  clock.setStep(telling_step(clock.shown()));
  QImage image;
  if (view.isEmpty()) {
    QCoreApplication::processEvents();
    image = window.grab().toImage();
  } else {
    RunCanvas* canvas = window.canvas(view);
    if (canvas == nullptr) {
      return invalid("no view is called '" + view.toStdString() + "'", "--view",
                     "use one of " + view_words(window).toStdString());
    }
    Canvas size = canvas->canvas();
    size.width = static_cast<float>(window.width());
    size.height = static_cast<float>(window.height());
    image = to_image(canvas->sceneAt(size), window.devicePixelRatioF());
  }
  if (!image.save(path, "PNG")) return io_error("cannot write the picture", path.toStdString());
  return {};
}

}  // namespace

void load_window_resources() {
  init_window_resources();
}

void take_screenshot(MainWindow& window, const QString& view, const QString& path,
                     std::function<void(Result<void>)> done) {
  if (MainWindow::panelNames().contains(view)) return shoot_panel(window, view, path, done);
  const auto later = [&window, view, path, done] {
    auto* timer = new QTimer(&window);  // the run to be drawn is prepared beside this thread
    QObject::connect(timer, &QTimer::timeout, &window, [&window, view, path, done, timer] {
      if (window.bench().preparing()) return;
      timer->stop();
      timer->deleteLater();
      done(save(window, view, path));
    });
    timer->start(kSettleMs);
  };
  if (window.bench().clock().shown() || window.bench().preparing()) return later();
  JobRunner& jobs = window.bench().jobs();
  QObject::connect(&jobs, &JobRunner::finished, &window, later);
  QObject::connect(&jobs, &JobRunner::failed, &window, later);
  window.bench().runAll();
}

}  // namespace shardscope
