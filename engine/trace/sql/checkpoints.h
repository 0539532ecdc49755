// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/trace/sql/database.h"

namespace shardscope {

// Copies what commits leave in a file's log (https://www.sqlite.org/wal.html) into the file, and waits for
// the disk, on a thread and a connection of its own: while it lives, commits of `writer` do neither. A log
// that became long all the same is waited for: its room is then used again.
class Checkpoints {
 public:
  explicit Checkpoints(const Database& writer);
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;
  ~Checkpoints();

 private:
  static int committed(void* self, sqlite3* writer, const char* name, int pages);
  void copy_behind(int pages);
  bool start();
  void loop();

  const Database& writer_;
  std::optional<Database> db_;  // the thread's, like the thread from the first long log on
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  int copied_ = 0;  // pages of the log that are in the file
  bool wanted_ = false, copying_ = false, stopping_ = false;
};

}  // namespace shardscope
