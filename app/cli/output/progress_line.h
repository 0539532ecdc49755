// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace shardscope::inline cli {

// How far a command is, on one line of stderr; nothing is shown when not `wanted`, with --quiet, or when
// stderr is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  // Empty when nothing is shown. May be called after this object is gone.
  std::function<void(const std::string& what, double fraction)> shower() const;
  void clear() const;

 private:
  bool shown_ = false;
};

}  // namespace shardscope::inline cli
