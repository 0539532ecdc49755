// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/output/output.h"
#include "engine/strategies/strategy.h"

namespace shardscope::inline cli {
namespace {

std::string strategies_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Strategy& s : strategies()) {
    list.push_back({{"id", s.id},
                    {"aliases", s.aliases},
                    {"kind", name(s.kind)},
                    {"title", s.title},
                    {"paper", s.paper},
                    {"needs", needs_of(s)},
                    {"options", s.options}});
  }
  return nlohmann::ordered_json{{"strategies", list}}.dump(2) + "\n";
}

std::string strategies_text() {
  std::string out;
  for (const Strategy& s : strategies()) {
    out += fmt::format("{:<18} {:<8} {}\n", s.id, name(s.kind), s.title);
    if (!s.aliases.empty()) out += fmt::format("{:<27} also {}\n", "", fmt::join(s.aliases, ", "));
    const std::vector<std::string> needs = needs_of(s);
    if (!needs.empty()) out += fmt::format("{:<27} needs {}\n", "", fmt::join(needs, "; "));
    if (!s.options.empty()) out += fmt::format("{:<27} reads --{}\n", "", fmt::join(s.options, ", --"));
  }
  return out;
}

}  // namespace

Command add_strategies_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("strategies", "List the strategies: what each one needs and where it comes from");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON object on stdout");
  return [json](std::stop_token) -> Result<int> {
    TRY_VOID(print_text(*json ? strategies_json() : strategies_text()));
    return kExitDone;
  };
}

}  // namespace shardscope::inline cli
