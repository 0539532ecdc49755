// SPDX-License-Identifier: Apache-2.0
// schema: what a command answers with --json, as JSON Schema.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "app/cli/commands/commands.h"
#include "app/cli/output/output.h"
#include "engine/base/embedded_file.h"
#include "engine/base/text.h"

namespace shardscope {

std::span<const EmbeddedFile> schema_files();  // written from assets/schemas

namespace {

// "hlo partition" is hlo-partition.json.
Result<std::string> schema_of(const std::vector<std::string>& command) {
  const std::string name = join(command, "-");
  const auto files = schema_files();
  const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
  if (found != files.end()) return std::string(found->text);
  std::vector<std::string> there;
  for (const EmbeddedFile& file : files) there.emplace_back(file.name);
  return invalid(fmt::format("no schema for '{}': it answers without JSON", join(command, " ")), "schema",
                 "use one of " + join(there, ", "));
}

}  // namespace

Command add_schema_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("schema", "Print the JSON Schema of what a command answers with --json");
  auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("command", *words, "As it is typed: strategies, or hlo partition")
      ->required()
      ->expected(1, 2);
  return [words](std::stop_token) -> Result<int> {
    TRY(const std::string schema, schema_of(*words));
    TRY_VOID(write_output(schema, ""));
    return kExitDone;
  };
}

}  // namespace shardscope
