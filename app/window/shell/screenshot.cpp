// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/screenshot.h"

#include <QCoreApplication>
#include <QTimer>
#include <memory>
#include <utility>

#include "app/window/docks/compare_dock.h"
#include "app/window/docks/dock_names.h"
#include "app/window/document/background.h"
#include "app/window/module/hlo_alternative.h"
#include "app/window/runs/run_canvas.h"
#include "app/window/shell/main_window.h"
#include "engine/base/file/write_file.h"
#include "engine/base/text.h"
#include "views/draw/gui/painter.h"
#include "views/scene/story/now.h"

// Outside of any namespace, as the macro wants it.
static void init_window_resources() {
  Q_INIT_RESOURCE(window);
}

namespace shardscope::inline window {
namespace {

constexpr int kLookMs = 2;
constexpr int kQuietLooks = 3;  // so often nothing is to come: what has just ended may begin something else

Result<void> saved(const QImage& image, const QString& path) {
  TRY(const std::string bytes, to_png(image, path.toStdString()));
  return write_file(path.toStdString(), bytes);
}

// The dock alone: a view of the run enlarged, any other as large as the window.
QImage picture_of(MainWindow& window, const DockArea::Made& made) {
  if (auto* canvas = qobject_cast<RunCanvas*>(made.widget)) {
    Canvas size = canvas->canvas();
    size.width = static_cast<float>(window.width());
    size.height = static_cast<float>(window.height());
    return to_image(canvas->sceneAt(size), window.devicePixelRatioF());
  }
  made.dock->setFloating(true);
  made.dock->resize(window.size());
  QCoreApplication::processEvents();
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);  // of what has come into sight there
  return made.widget->grab().toImage();
}

using Done = std::function<void(Result<void>)>;

// Takes the picture, of the whole window when `made` is null, as soon as `ready`.
void shoot_when(const std::function<bool()>& ready, MainWindow& window, const DockArea::Made* made,
                const QString& path, const Done& done) {
  auto* timer = new QTimer(&window);
  QObject::connect(timer, &QTimer::timeout, &window,
                   [ready, &window, made, path, done, timer, quiet = 0]() mutable {
                     const auto* without = window.findChild<HloAlternative*>();
                     const bool pauses = without != nullptr && without->busy();
                     quiet = ready() && !pauses && Background::underWay() == 0 ? quiet + 1 : 0;
                     if (quiet < kQuietLooks) return;
                     timer->stop();
                     timer->deleteLater();
                     Clock& clock = window.bench().clock();
                     if ((made == nullptr || !made->row->run) && clock.story() != nullptr)
                       clock.setBeat(telling_beat(*clock.story()));
                     QCoreApplication::processEvents();
                     done(saved(made != nullptr ? picture_of(window, *made) : window.grab().toImage(), path));
                   });
  timer->start(kLookMs);
}

}  // namespace

void load_window_resources() {
  init_window_resources();
}

void take_screenshot(MainWindow& window, const QString& view, const QString& path, const Done& done) {
  const DockArea::Made* made = view.isEmpty() ? nullptr : window.docks().go(view);
  if (made == nullptr && !view.isEmpty()) {
    const Error unknown = invalid("no view is called '" + view.toStdString() + "'", "--view",
                                  "use one of " + join(dock_ids(), ", "));
    QTimer::singleShot(0, &window, [done, unknown] { done(unknown); });
    return;
  }
  Workbench& bench = window.bench();
  if (made != nullptr && made->row->run) {
    made->row->run(made->widget);
    return shoot_when([made] { return !made->row->job(made->widget)->busy(); }, window, made, path, done);
  }
  // A workspace is opened, and the run to be drawn prepared, beside this thread; runs are made where none is
  // there, and compared when there are some.
  const auto best = std::make_shared<bool>(view != "compare");
  const auto ran = std::make_shared<bool>(false);
  shoot_when(
      [&bench, &window, best, ran] {
        if (bench.jobs().running() || bench.presenter().preparing()) return false;
        if (!std::exchange(*ran, true) && !bench.clock().of(Subject::runs).run) {
          bench.runAll();
          return false;
        }
        if (!std::exchange(*best, true)) compare_best(window.context());
        return !bench.presenter().preparing();
      },
      window, made, path, done);
}

}  // namespace shardscope::inline window
