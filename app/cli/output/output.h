// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace shardscope::inline cli {

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

// Who reads stdout: a terminal of so many columns; 0: a file, a program, or somebody who asked for JSON.
void set_screen(size_t columns);
// Text for people, or JSON, to stdout: what is wider than the screen is folded.
Result<void> print_text(std::string_view text);
// With --quiet nothing is noted, and no progress is shown.
void set_quiet(bool asked);
bool is_quiet();
// A line on stderr that is no error.
void note(std::string_view text);

// While it lives, nothing goes to stdout: its text is kept, and the names of the files that are written.
class KeptOutput {
 public:
  KeptOutput();
  ~KeptOutput();
  KeptOutput(const KeptOutput&) = delete;
  KeptOutput& operator=(const KeptOutput&) = delete;

  std::string text;
  std::vector<std::string> files;

 private:
  KeptOutput* outer_;
};
// Whether one lives: a program asks, as in a session.
bool keeps_output();
// Says that a file was written, of those that write_output() did not write.
void note_file(const std::string& path);

// Writes to stdout as the text is made.
class StdoutWriter {
 public:
  bool write(std::string_view text);  // false: nobody reads on, or it cannot be written
  Result<void> finish();

 private:
  Result<void> outcome_;
};

int exit_code(const Error& error);

}  // namespace shardscope::inline cli
