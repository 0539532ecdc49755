// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <optional>

#include "engine/trace/sql/database.h"

namespace shardscope::inline trace {

// Copies what commits leave in a file's log (https://www.sqlite.org/wal.html) into the file, and waits for
// the disk, behind the writer and on a connection of its own: while it lives, commits of `writer` do neither.
// They wait where too much would be left to be copied when the file is closed, and where the log became long:
// its room is then used again.
class Checkpoints {
 public:
  explicit Checkpoints(const Database& writer);
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;
  ~Checkpoints();

  // Whether commits from now on go straight into the file, behind a journal of what they change: each page is
  // written once, and a killed writer's last commit is taken back by whoever opens the file next. The disk is
  // not waited for, and a loss of power costs all that is in the file (unsynced.h), so only of one that has
  // nothing to lose; where others have the file open it keeps its log. False, and rest(): the disk has all,
  // and there is a log again.
  void go_straight(bool straight);

  // Nothing is written just now: copies all of the log. Whether nothing is left in it, so that a copy of the
  // file alone has everything; not while a reader still reads what was before.
  bool rest();

 private:
  static int committed(void* self, sqlite3* writer, const char* name, int pages);
  void copy_behind(int pages);
  bool connect();
  void begin();
  void end();
  void begin_straight();
  bool end_straight();
  void log_is_back();

  const Database& writer_;
  std::optional<Database> db_;  // from the first long log on
  std::future<int> copying_;    // has that connection while it is valid; what becomes copied_
  int copied_ = 0;              // pages of the log that are in the file, on the disk
  bool straight_ = false;
  int64_t version_ = 0;  // of the file, while it says another one
};

}  // namespace shardscope::inline trace
