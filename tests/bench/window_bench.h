// SPDX-License-Identifier: Apache-2.0
// What benchmarks of the window share.
#pragma once

#include <QApplication>
#include <QStandardPaths>
#include <QTimer>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>

#include "app/window/shell/main_window.h"
#include "app/window/shell/screenshot.h"

namespace shardscope {

// A window of its own, with the settings of a test, light, at 100 %; still to be shown.
class BenchedWindow {
 public:
  BenchedWindow(int argc, char** argv)
      : argc_(argc), app_(before(argc_), argv), window_(light(preferences_)) {}
  MainWindow& operator*() { return window_; }
  MainWindow* operator->() { return &window_; }

 private:
  // What has to be said before there is an application.
  static int& before(int& argc) {
    QStandardPaths::setTestModeEnabled(true);
    QApplication::setOrganizationName("shardscope");
    QApplication::setApplicationName("shardscope-test");
    return argc;
  }
  static Preferences& light(Preferences& preferences) {
    load_window_resources();
    preferences.overrideLook(false, 1.0);
    return preferences;
  }
  int argc_;
  QApplication app_;
  Preferences preferences_;
  MainWindow window_;
};

// Of all threads of this process.
inline double processor_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

// Of this process, in MiB: "VmRSS", "VmHWM".
inline double status_mib(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    double kib = 0;
    if (word == key + ":" && file >> kib) return kib / 1024;
  }
  return 0;
}

// Lets the window work as a user's does, asleep until there is something: who asks again and again takes
// from what is timed.
inline void work_until(const std::function<bool()>& reached) {
  QTimer awake;  // for what comes without an event
  awake.start(5);
  while (!reached()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

}  // namespace shardscope
