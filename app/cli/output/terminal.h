// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shardscope::inline cli {

// How many columns the terminal at `file` has; 0: it is no terminal.
size_t terminal_columns(int file);
// Whether it shows colours: a terminal that is not dumb, where NO_COLOR (no-color.org) is not set.
bool has_color(int file);
// "error: what" as a line for stderr, its first word coloured where that is a terminal.
std::string marked_line(std::string_view mark, std::string_view text);

}  // namespace shardscope::inline cli
