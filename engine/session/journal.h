// SPDX-License-Identifier: Apache-2.0
// What a window does is written down as it does it, so that nothing is lost when it ends, however it ends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/trace/workspace.h"

namespace shardscope::inline session {

// A journal that a window has left: no process holds it.
struct LeftJournal {
  std::string path;
  std::string state;  // the last that its window kept
  int64_t runs = 0;
  int64_t bytes = 0;
};

// A workspace file of the window's own in a folder: its runs, and under kState how the window looks. A lock
// that the system takes back when the process ends, kill -9 included, says that it is in use: no two windows
// ever share one. Writing is the workspace's (a thread of its own, a transaction each).
class Journal {
 public:
  // Left journals that stay in the folder, the newest: left() removes older ones and those with nothing in
  // them.
  static constexpr int kMostLeft = 8;
  static constexpr int64_t kMostLeftBytes = int64_t{1} << 30;

  // A new one; makes the folder. Errors: the folder cannot be written.
  static Result<std::unique_ptr<Journal>> begin(const std::string& folder);
  // Goes on in one that was left. Errors: another window holds it, it cannot be read.
  static Result<std::unique_ptr<Journal>> take(const std::string& path);
  // Those that can be taken, the newest first.
  static std::vector<LeftJournal> left(const std::string& folder);
  static void remove(const std::string& path);  // of one that was left, when nobody holds it

  ~Journal();  // lets go of it; what was queued is written
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  const std::string& path() const { return path_; }
  const std::shared_ptr<Workspace>& workspace() const { return workspace_; }
  void keep(const std::string& state);   // at once: queued, nobody waits
  Result<std::string> state() const;     // the last that was kept; empty: none
  void discard() { discarded_ = true; }  // there is nothing in it that anybody would miss: its file goes too

 private:
  class Lock;
  Journal(std::string path, std::unique_ptr<Lock> lock);

  std::string path_;
  std::unique_ptr<Lock> lock_;
  std::shared_ptr<Workspace> workspace_;
  bool discarded_ = false;
};

}  // namespace shardscope::inline session
