// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <sqlite3.h>
#include <string>
#include <utility>
#include <vector>

namespace shardscope {

// While it lives, SQLite's files of this process are on a disk of which can be told what a loss of power
// leaves: all that was waited for, and of what was written since then any pieces. One at a time.
class DiskThatLosesPower {
 public:
  DiskThatLosesPower();
  DiskThatLosesPower(const DiskThatLosesPower&) = delete;
  DiskThatLosesPower& operator=(const DiskThatLosesPower&) = delete;
  ~DiskThatLosesPower();

  // Called before each write, with their number so far. Nothing is written meanwhile.
  std::function<void(int64_t writes)> before_write;
  int64_t writes() const { return writes_; }
  // Puts what is left of `path` and its journals at `to`; `kept` of a hundred pieces that were not waited for
  // are there. Within before_write, or when nothing is written.
  void leave(const std::string& path, const std::string& to, unsigned kept);

  // For SQLite.
  sqlite3_vfs& below() const { return *below_; }
  void wrote(const std::string& path, std::string bytes, int64_t place);
  void truncated(const std::string& path, int64_t size);
  void synced(const std::string& path);
  void removed(const std::string& path);

 private:
  struct File {
    std::string safe;
    std::vector<std::pair<int64_t, std::string>> since;  // place, bytes
  };
  sqlite3_vfs* below_;
  sqlite3_vfs own_;
  std::mutex mutex_;
  std::map<std::string, File> files_;
  int64_t writes_ = 0;
  std::mt19937 random_{3};
};

}  // namespace shardscope
