// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/terminal.h"

#include <cstdlib>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/base/escape.h"

namespace shardscope::inline cli {

size_t terminal_columns(int file) {
  winsize size{};
  return isatty(file) != 0 && ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool has_color(int file) {
  const char* refused = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(file) != 0 && (refused == nullptr || *refused == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

std::string marked_line(std::string_view mark, std::string_view text) {
  const char* color = mark == "error" ? "\033[1;31m" : "\033[1m";
  const std::string safe = terminal_text(text);
  if (!has_color(STDERR_FILENO)) return fmt::format("{}: {}\n", mark, safe);
  return fmt::format("{}{}:\033[0m {}\n", color, mark, safe);
}

}  // namespace shardscope::inline cli
