// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/progress_line.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "app/cli/options/backend_option.h"
#include "app/cli/output/output.h"

namespace shardscope::inline cli {

namespace {

// Who started the program reads lines of percent and what, with a tab between.
bool tells_lines() {
  const char* const asked = std::getenv("SHARDSCOPE_PROGRESS");
  return asked != nullptr && std::string_view(asked) == "lines";
}

}  // namespace

ProgressLine::ProgressLine(bool wanted) : shown_(wanted && !is_quiet() && isatty(STDERR_FILENO) != 0) {}

std::function<void(const std::string& what, double fraction)> ProgressLine::shower() const {
  if (tells_lines() && !is_quiet_rank())
    return [last = -1](const std::string& what, double fraction) mutable {
      const int percent = static_cast<int>(fraction * 100);
      if (std::exchange(last, percent) != percent) std::fprintf(stderr, "%d\t%s\n", percent, what.c_str());
    };
  if (!shown_) return {};
  return [](const std::string& what, double fraction) {
    std::fprintf(stderr, "\r\033[K%3.0f %%  %s", fraction * 100, what.c_str());
    std::fflush(stderr);
  };
}

void ProgressLine::clear() const {
  if (shown_) std::fprintf(stderr, "\r\033[K");
}

}  // namespace shardscope::inline cli
