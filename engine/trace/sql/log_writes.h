// SPDX-License-Identifier: Apache-2.0
// Fewer and larger writes into the log of a file (https://www.sqlite.org/walformat.html): SQLite writes the
// header and the page of each frame by themselves, which costs the system more than twice as much.
#pragma once

#include <sqlite3.h>

namespace shardscope {

// The name of an SQLite file system like the default one, whose logs know OneCommit; null: there is none.
const char* log_writes_vfs();

// While it lives frames that a commit writes into the log wait in memory until the one that ends the commit,
// or anything else, is written, read or synced. That one is never kept back: whoever sees a commit finds its
// frames in the file, and a write that fails fails the commit. To live for a COMMIT and no longer: other
// connections may write as soon as that is done.
class OneCommit {
 public:
  explicit OneCommit(sqlite3* db);
  OneCommit(const OneCommit&) = delete;
  OneCommit& operator=(const OneCommit&) = delete;
  ~OneCommit();

 private:
  sqlite3_file* log_ = nullptr;  // none: the connection has another file system, or no log
};

}  // namespace shardscope
