// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/common_options.h"

#include <CLI/CLI.hpp>

#include "engine/request/experiment.h"

namespace shardscope::inline cli {

void add_common_options(CLI::App& app, CommonOptions& common) {
  const auto parts = app.get_subcommands([](CLI::App*) { return true; });
  for (CLI::App* part : parts) add_common_options(*part, common);
  if (!parts.empty()) return;
  if (app.get_option_no_throw("--json") == nullptr)
    app.add_flag("--json", common.json, "One JSON object on stdout: the text and the names of the files");
  if (app.get_option_no_throw("--quiet") == nullptr) app.add_flag("--quiet", common.quiet, kQuietHelp);
}

void add_threads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "Threads (default: all)")->check(CLI::Range(1, kMostThreads));
}

const CLI::App& called_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

std::string called_name(const CLI::App& app) {
  std::string out = app.get_name();
  for (const CLI::App* command = &app; !command->get_subcommands().empty();) {
    command = command->get_subcommands().front();
    out += " " + command->get_name();
  }
  return out;
}

bool asks_for(const CLI::App& app, const char* flag) {
  const CLI::Option* option = called_command(app).get_option_no_throw(flag);
  return option != nullptr && option->count() > 0;
}

}  // namespace shardscope::inline cli
