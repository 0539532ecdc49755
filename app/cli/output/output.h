// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace shardscope {

// Exit codes; --help lists them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitRequest = 2;
inline constexpr int kExitWrongNumbers = 3;
inline constexpr int kExitFile = 4;
inline constexpr int kExitCancelled = 130;
inline constexpr int kExitTerminated = 143;  // cancelled by SIGTERM

// Writes to `path`, or to stdout when it is empty or "-". A reader of stdout that has closed its end wants no
// more, as `head` does: that is no error.
Result<void> write_output(std::string_view text, const std::string& path);

// Writes to stdout as the text is made.
class StdoutWriter {
 public:
  bool write(std::string_view text);  // false: nobody reads on, or it cannot be written
  Result<void> finish();

 private:
  Result<void> outcome_;
};

int exit_code(const Error& error);

}  // namespace shardscope
