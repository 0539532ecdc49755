// SPDX-License-Identifier: Apache-2.0
// What the window's process holds after Run all of presets, one after the other, and while each is used:
// every run shown in turn, stepped and drawn by all canvases. Prints MiB: resident, the peak, given out by
// malloc and kept by it.
//
//   window_memory_bench [SECONDS of use, of each] [PRESET…]
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <cstdio>
#include <malloc.h>
#include <string>

#include "app/window/runs/run_canvas.h"
#include "engine/base/free_memory.h"
#include "tests/bench/window_bench.h"

namespace {

using namespace shardscope;

void print_memory(const char* when) {
  const struct mallinfo2 heap = mallinfo2();
  const double mib = 1024.0 * 1024.0;
  std::printf("%-28s resident %7.0f  peak %7.0f  given out %7.0f  kept %7.0f\n", when, status_mib("VmRSS"),
              status_mib("VmHWM"), static_cast<double>(heap.uordblks + heap.hblkhd) / mib,
              static_cast<double>(heap.fordblks) / mib);
  std::fflush(stdout);
}

void use(MainWindow& window, qint64 ms) {
  Workbench& bench = window.bench();
  QElapsedTimer since;
  since.start();
  int minute = 0;
  while (since.elapsed() < ms) {
    for (const RunSummary& row : bench.runs().rows()) {
      bench.presenter().show(row.id);
      work_until([&] { return !bench.presenter().preparing(); });
      for (const Dock& dock : docks()) window.docks().make(dock.id);
      for (const auto& made : window.docks().all()) {
        if (auto* canvas = qobject_cast<RunCanvas*>(made.widget)) canvas->scene();
      }
      for (int step = 0; step < 8; ++step) {
        bench.clock().player().stepBy(1);
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
      }
      if (since.elapsed() / 60'000 > minute) print_memory(("minute " + std::to_string(++minute)).c_str());
      if (since.elapsed() > ms) break;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  BenchedWindow window(argc, argv);
  return_large_blocks_at_once();  // as run_window() does
  const QTemporaryDir folder;
  if (!window->keepJournal(folder.path()).ok()) return 2;
  window->show();
  std::vector<std::string> presets(argv + std::min(argc, 2), argv + argc);
  if (presets.empty()) presets = {"default"};
  Workbench& bench = window->bench();
  for (const std::string& preset : presets) {
    if (!bench.openPreset(preset).ok()) return 2;
    QCoreApplication::processEvents();
    print_memory((preset + " opened").c_str());
    bench.runAll();
    work_until([&] { return !bench.jobs().running() && !bench.presenter().preparing(); });
    print_memory("after Run all");
    use(*window, argc > 1 ? std::stoll(argv[1]) * 1000 : 60'000);
    print_memory("after use");
  }
  return 0;
}
