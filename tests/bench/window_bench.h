// SPDX-License-Identifier: Apache-2.0
// What benchmarks of the window share.
#pragma once

#include <QCoreApplication>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>

namespace shardscope {

// Of this process, in MiB: "VmRSS", "VmHWM".
inline double status_mib(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    double kib = 0;
    if (word == key + ":" && file >> kib) return kib / 1024;
  }
  return 0;
}

// Lets the window work, and sleeps in between: who asks without end takes a core from what is timed.
inline void work_until(const std::function<bool()>& reached) {
  while (!reached()) {
    QCoreApplication::processEvents();
    usleep(100);
  }
}

}  // namespace shardscope
