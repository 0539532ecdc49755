// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/progress_line.h"

#include <cstdio>
#include <unistd.h>

#include "app/cli/output/output.h"

namespace shardscope {

ProgressLine::ProgressLine(bool wanted) : shown_(wanted && !is_quiet() && isatty(STDERR_FILENO) != 0) {}

std::function<void(const std::string& what, double fraction)> ProgressLine::shower() const {
  if (!shown_) return {};
  return [](const std::string& what, double fraction) {
    std::fprintf(stderr, "\r\033[K%3.0f %%  %s", fraction * 100, what.c_str());
    std::fflush(stderr);
  };
}

void ProgressLine::clear() const {
  if (shown_) std::fprintf(stderr, "\r\033[K");
}

}  // namespace shardscope
