// SPDX-License-Identifier: Apache-2.0
#include "tests/app/first_start.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTimer>
#include <cstdio>

#include "app/window/runs/run_canvas.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/run_window.h"
#include "views/scene/core/run_views.h"

namespace shardscope {
namespace {

void tell(MainWindow& window) {
  const Clock& clock = window.bench().clock();
  int told = 0;
  for (const RunView& view : run_views()) {
    const auto* canvas = window.docks().widget<RunCanvas>(view.id);
    if (canvas->isVisible() && !canvas->scene().ids().empty()) ++told;
  }
  const QJsonObject seen{{"page", window.docks().page()},
                         {"title", QString::fromStdString(window.bench().document().experiment().title)},
                         {"shown", clock.shown() ? QString::fromStdString(clock.shown()->run->strategy) : ""},
                         {"views", told},
                         {"rows", static_cast<int>(window.bench().runs().rows().size())},
                         {"offer", window.restoreBar().offers()}};
  std::printf("%s\n", QJsonDocument(seen).toJson(QJsonDocument::Compact).constData());
  std::fflush(stdout);
}

void watch() {
  auto* timer = new QTimer(qApp);
  auto* since = new QElapsedTimer;  // as long as the process
  since->start();
  QObject::connect(timer, &QTimer::timeout, qApp, [timer, since] {
    for (QWidget* each : QApplication::topLevelWidgets()) {
      auto* window = qobject_cast<MainWindow*>(each);
      if (window == nullptr || !window->isVisible()) continue;
      Workbench& bench = window->bench();
      const bool ready = bench.clock().shown() && !bench.clock().shown()->telling &&
                         !bench.jobs().running() && !bench.presenter().preparing();
      if (!ready && since->elapsed() < 60'000) continue;
      timer->stop();
      tell(*window);
      window->close();
      QApplication::quit();
    }
  });
  timer->start(50);
}

}  // namespace

int first_start() {
  qAddPreRoutine(&watch);
  char name[] = "shardscope";
  char* arguments[] = {name, nullptr};
  return run_window(1, arguments, {});
}

}  // namespace shardscope
