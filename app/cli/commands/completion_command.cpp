// SPDX-License-Identifier: Apache-2.0
// completion: what a shell sources to complete this command line.
#include <CLI/CLI.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/output/completion.h"
#include "app/cli/output/output.h"

namespace shardscope::inline cli {

Command add_completion_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "completion", "Print the completion of a shell: source <(shardscope completion bash)");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  return [shell, &app](std::stop_token) -> Result<int> {
    TRY_VOID(write_output(*shell == "zsh" ? zsh_completion(app) : bash_completion(app), ""));
    return kExitDone;
  };
}

}  // namespace shardscope::inline cli
