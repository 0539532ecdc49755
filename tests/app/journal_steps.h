// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <string>

#include "app/window/document/journaling.h"

namespace shardscope {

// A workbench that edits, runs and selects in a fixed order, and keeps all of it in a journal.
class JournaledWork {
 public:
  explicit JournaledWork(const QString& folder);
  Workbench& bench() { return bench_; }
  Journaling& journaling() { return journaling_; }
  static bool runs(int step) { return step % 6 == 2; }  // the others edit, or move the selection
  // Does it, and returns when it is on disk.
  void take(int step);
  QByteArray state() { return text(bench_.state().now()); }

 private:
  void edit(int step);
  void run(int step);
  void move(int step);

  Workbench bench_;
  Journaling journaling_{bench_};
};

// The process that is killed: takes one step after the other and says the number of each that is done.
int work_until_killed(const std::string& folder);

}  // namespace shardscope
