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
#include "engine/base/check.h"
#include "engine/base/embedded_file.h"
#include "engine/base/text.h"

namespace shardscope::embedded {
std::span<const EmbeddedFile> schema_files();  // written from assets/schemas
}  // namespace shardscope::embedded

namespace shardscope::inline cli {

namespace {

// Of commands that have no answer of their own.
constexpr const char* kText = "text";

// "hlo partition", and all others that answer.
void add_names(const CLI::App& app, const std::string& before, std::vector<std::string>& out) {
  const auto parts = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* part : parts) add_names(*part, before + part->get_name() + " ", out);
  if (parts.empty()) out.push_back(before.substr(0, before.size() - 1));
}

// "hlo partition" is hlo-partition.json.
Result<std::string> schema_of(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  add_names(app, "", names);
  const std::string command = join(words, " ");
  if (std::ranges::find(names, command) == names.end()) {
    const auto near = nearest(command, names);
    return invalid(fmt::format("no command '{}'", command), "schema",
                   near ? "did you mean " + *near : "use one of " + join(names, ", "));
  }
  const auto files = embedded::schema_files();
  auto found = std::ranges::find(files, join(words, "-"), &EmbeddedFile::name);
  if (found == files.end()) found = std::ranges::find(files, std::string_view(kText), &EmbeddedFile::name);
  CHECK(found != files.end(), command);
  return std::string(found->text);
}

}  // namespace

Command add_schema_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("schema", "Print the JSON Schema of what a command answers with --json");
  auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("command", *words, "As it is typed: strategies, or hlo partition")
      ->required()
      ->expected(1, 2);
  return [words, &app](std::stop_token) -> Result<int> {
    TRY(const std::string schema, schema_of(app, *words));
    TRY_VOID(write_output(schema, ""));
    return kExitDone;
  };
}

}  // namespace shardscope::inline cli
