// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <functional>
#include <string>
#include <vector>

#include "app/window/shell/main_window.h"
#include "tests/app/use/session.h"
#include "tests/app/use/watch.h"

namespace shardscope {

// Does what is large, one thing after the other, and looks at it on every page: a mesh of 65,536 devices, a
// module of 20,000 lines, a run of 1,024 devices with its story.
class Burden : public QObject {
 public:
  Burden(MainWindow& window, const SessionOptions& options, const SessionLog& log);

 private:
  struct Step {
    std::string said;
    std::function<void()> act;
    int wait_ms = 100;   // after it
    bool quiet = false;  // and until nothing works any more
  };
  void addMesh();
  void addModule();
  void addRun();
  void addTour(const std::string& of);
  void later(int ms);
  void go();

  MainWindow& window_;
  const SessionOptions options_;
  const SessionLog& log_;
  Watch watch_;
  std::vector<Step> steps_;
  size_t next_ = 0;
};

}  // namespace shardscope
