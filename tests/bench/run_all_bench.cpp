// SPDX-License-Identifier: Apache-2.0
// From the click on Run all to the table of every time and their ranking, and to the last proof, in the
// window (offscreen, all its docks): milliseconds of wall time and of processor time of the whole process.
//
//   run_all_bench [PRESET…]
#include <QApplication>
#include <QElapsedTimer>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "app/window/shell/main_window.h"
#include "app/window/shell/screenshot.h"
#include "tests/bench/window_bench.h"

namespace {

using namespace shardscope;

double processor_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QStandardPaths::setTestModeEnabled(true);
  QApplication::setOrganizationName("shardscope");
  QApplication::setApplicationName("shardscope-test");
  QApplication app(argc, argv);
  load_window_resources();
  Preferences preferences;
  preferences.overrideLook(false, 1.0);
  MainWindow window(preferences);
  const QTemporaryDir folder;
  if (!window.keepJournal(folder.path()).ok()) return 2;
  window.show();
  Workbench& bench = window.bench();
  std::vector<std::string> presets(argv + 1, argv + argc);
  if (presets.empty()) presets = {"default"};
  for (const std::string& preset : presets) {
    if (!bench.openPreset(preset).ok()) return 2;
    work_until([&] { return !bench.presenter().preparing(); });
    const size_t before = bench.runs().rows().size();
    QElapsedTimer since;
    since.start();
    const double start = processor_ms();
    bench.runAll();
    const size_t wanted = before + bench.document().experiment().runs.size();
    const auto say = [&](const char* what) {
      std::printf("%-12s %-22s %8lld ms  %8.0f ms of processor time\n", preset.c_str(), what,
                  static_cast<long long>(since.elapsed()), processor_ms() - start);
    };
    work_until([&] { return bench.runs().rows().size() >= wanted || !bench.jobs().running(); });
    say("every time ranked");
    work_until([&] { return !bench.jobs().running() && !bench.presenter().preparing(); });
    say("all proved");
    std::printf("%-12s %zu runs\n", preset.c_str(), bench.runs().rows().size() - before);
  }
  return 0;
}
