// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/grouped_options.h"

namespace shardscope::inline cli {

Command add_gmm_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "gmm", "Grouped matmul: each group of rows times its own matrix, with its schedule of tiles");
  auto options = std::make_shared<GroupedCommandOptions>();
  add_grouped_options(*command, *options, GroupedOp::gmm);
  return
      [options](const std::stop_token& stop) { return run_grouped_command(*options, GroupedOp::gmm, stop); };
}

}  // namespace shardscope::inline cli
