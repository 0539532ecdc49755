// SPDX-License-Identifier: Apache-2.0
// From the click on a stored run to its first picture in the whole window, and on to when all is known of it.
// Prints ms of the clock and of the processor, and MiB: resident, the peak.
//
//   QT_QPA_PLATFORM=offscreen open_run_bench [EVENTS] [TIMES]
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <cstdio>
#include <string>

#include "app/window/runs/timeline_canvas.h"
#include "engine/base/free_memory.h"
#include "tests/bench/window_bench.h"
#include "tests/engine/run/unalike_run.h"

namespace {

using namespace shardscope;

class Watch {
 public:
  Watch() { since_.start(); }
  void print(const char* what) const {
    std::printf("%-28s %8.1f ms  processor %8.1f ms  resident %7.0f  peak %7.0f\n", what,
                static_cast<double>(since_.nsecsElapsed()) * 1e-6, processor_ms() - processor_,
                status_mib("VmRSS"), status_mib("VmHWM"));
    std::fflush(stdout);
  }

 private:
  QElapsedTimer since_;
  double processor_ = processor_ms();
};

// Two runs, so that there is one to click on: a small one, and one with many events.
std::string record(const QTemporaryDir& folder, int64_t events) {
  const std::string path = folder.filePath("runs.shardscope").toStdString();
  const auto workspace = Workspace::open(path).value();
  for (const int64_t count : {int64_t{1000}, events}) {
    (void)workspace->record(make_unalike_run(count)).value();
    if (const auto done = workspace->wait(); !done.ok()) std::abort();
  }
  return path;
}

// Whether a widget was painted while the clock showed a run.
class Painted : public QObject {
 public:
  Painted(const QWidget& widget, const Clock& clock, int64_t run)
      : widget_(widget), clock_(clock), run_(run) {
    qApp->installEventFilter(this);
  }
  bool eventFilter(QObject* watched, QEvent* event) override {
    auto* widget = qobject_cast<QWidget*>(watched);
    if (event->type() == QEvent::Paint && widget != nullptr && widget_.isAncestorOf(widget))
      is = is || clock_.shown()->run->id == run_;
    return false;
  }
  bool is = false;

 private:
  const QWidget& widget_;
  const Clock& clock_;
  int64_t run_;
};

void click(MainWindow& window, int64_t id) {
  Workbench& bench = window.bench();
  const Painted painted(*window.docks().widget<TimelineCanvas>("timeline"), bench.clock(), id);
  const Watch watch;
  const auto there =
      QObject::connect(&bench.clock(), &Clock::runChanged, &window, [&, first = true]() mutable {
        if (std::exchange(first, false)) watch.print("  run is there");
      });
  bench.presenter().show(id);
  work_until([&] { return painted.is; });
  watch.print("  first picture");
  work_until([&] { return !bench.presenter().preparing(); });
  watch.print("  all is known");
  QObject::disconnect(there);
}

}  // namespace

int main(int argc, char** argv) {
  BenchedWindow window(argc, argv);
  return_large_blocks_at_once();  // as run_window() does
  window->show();
  const QTemporaryDir folder;
  const std::string path = record(folder, argc > 1 ? std::stoll(argv[1]) : 10'000'000);
  Workbench& bench = window->bench();
  return_free_memory();
  const Watch opened;
  if (!bench.openFile(QString::fromStdString(path)).ok()) return 2;
  work_until([&] { return bench.clock().shown() != nullptr; });
  opened.print("opened, a run is there");
  work_until([&] { return !bench.presenter().preparing() && Background::underWay() == 0; });
  opened.print("opened, all is known");
  // Neither is the experiment's any more, nor is an earlier one kept in memory.
  bench.openExperiment(bench.document().experiment());
  bench.state().setLimits({0, bench.state().limits().events});
  for (int i = 0; i < (argc > 2 ? std::stoi(argv[2]) : 3); ++i) {
    std::printf("a click on a run\n");
    bench.presenter().show(1);
    work_until([&] {
      return bench.clock().shown() && bench.clock().shown()->run->id == 1 && !bench.presenter().preparing();
    });
    return_free_memory();
    click(*window, 2);
  }
  return 0;
}
