// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "engine/session/modules/module_diff.h"

namespace shardscope {
namespace {

struct HloDiffOptions {
  std::string a, b;
};

Result<int> run(const HloDiffOptions& options, const std::stop_token& stop) {
  TRY(const Program a, read_module(options.a, stop));
  TRY(const Program b, read_module(options.b, stop));
  TRY(const ModuleDiff found, diff_modules(a, b, stop));
  std::string text = diff_text(found);
  if (text.empty()) {
    text = "the modules are equal, names and metadata aside\n";
  } else {
    TRY(const bool same, equal_once_partitioned(a, b, stop));
    if (same)
      text =
          "partitioned, the modules are equal, names and metadata aside; as they are written they differ:\n" +
          text;
  }
  TRY_VOID(write_output(text, ""));
  return kExitDone;
}

}  // namespace

Command add_hlo_diff_command(CLI::App& hlo) {
  CLI::App* command =
      hlo.add_subcommand("diff", "Compare what two modules do, apart from names and metadata");
  auto options = std::make_shared<HloDiffOptions>();
  command->add_option("a", options->a, "A module in any form that hlo partition reads")
      ->type_name(kInputFile)
      ->required();
  command->add_option("b", options->b, "Another one")->type_name(kInputFile)->required();
  return [options](std::stop_token stop) { return run(*options, stop); };
}

}  // namespace shardscope
