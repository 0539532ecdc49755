// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "app/window/shell/run_window.h"

namespace shardscope::inline cli {

// Runs the command line: the exit code of a subcommand, or how to open the window when none was named.
std::variant<int, WindowOptions> run_cli(int argc, char** argv);

}  // namespace shardscope::inline cli
