// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/grouped_options.h"

namespace shardscope::inline cli {

Command add_tgmm_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "tgmm",
      "Transposed grouped matmul: one matrix per group from its columns and rows (the gradient of gmm)");
  auto options = std::make_shared<GroupedCommandOptions>();
  add_grouped_options(*command, *options, GroupedOp::tgmm);
  return
      [options](const std::stop_token& stop) { return run_grouped_command(*options, GroupedOp::tgmm, stop); };
}

}  // namespace shardscope::inline cli
