// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <optional>

#include "engine/trace/sql/database.h"

namespace shardscope {

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

  // Nothing is written just now: copies all of the log. Whether nothing is left in it, so that a copy of the
  // file alone has everything; not while a reader still reads what was before.
  bool rest();

 private:
  static int committed(void* self, sqlite3* writer, const char* name, int pages);
  void copy_behind(int pages);
  bool connect();
  void begin();
  void end();

  const Database& writer_;
  std::optional<Database> db_;  // from the first long log on
  std::future<int> copying_;    // has that connection while it is valid; what becomes copied_
  int copied_ = 0;              // pages of the log that are in the file, on the disk
};

}  // namespace shardscope
