// SPDX-License-Identifier: Apache-2.0
// From the click on Run all to the table of every time and their ranking, and to the last proof, in the
// window (offscreen, all its docks): milliseconds of wall time and of processor time of the whole process.
//
//   run_all_bench [PRESET…]
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/bench/window_bench.h"

using namespace shardscope;

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  BenchedWindow window(argc, argv);
  const QTemporaryDir folder;
  if (!window->keepJournal(folder.path()).ok()) return 2;
  window->show();
  Workbench& bench = window->bench();
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
