// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>

namespace shardscope::inline cli {

// Turns Ctrl-C and SIGTERM into a stop request for as long as it lives, so that a sweep ends with whole runs.
// A command that has not ended within a second is ended, with the line and the exit code of one that has; a
// second signal ends the process at once. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  std::stop_token token() const;
  int signal() const;  // that came; 0: none

 private:
  struct Watcher;
  std::unique_ptr<Watcher> watcher_;
};

}  // namespace shardscope::inline cli
