// SPDX-License-Identifier: Apache-2.0
// hlo diff: modules side by side, or the stages of one.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "engine/report/modules_report.h"
#include "engine/request/fields.h"
#include "engine/session/modules/equal_once_partitioned.h"
#include "engine/session/modules/stage_strip.h"

namespace shardscope::inline cli {
namespace {

constexpr size_t kMostModules = 8;  // beside each other

struct HloDiffOptions : HloOptions {
  std::vector<std::string> files;
  std::string format = "text", out;
  bool stages = false;
};

// The stages of one module: what is read, what propagation and the partitioner make of it, and the backend.
Result<ModuleColumns> stages_of(const HloDiffOptions& options, const std::stop_token& stop) {
  if (options.files.size() != 1)
    return invalid("the stages of one module stand beside each other", "--stages", "give one file");
  TRY(Program module, read_module(options.files.front(), stop));
  TRY(PartitionOptions how, partition_options(options));
  how.stop = stop;
  Experiment probe;
  if (const auto typed = options.asked.find("compile-as"); typed != options.asked.end())
    TRY_VOID(put(*find_field("compile-as"), probe, typed->second));
  TRY(const Hardware hardware, typed_hardware(options.asked));
  TRY(Partitioned made, partition(read_stage(std::move(module)), how));
  TRY(const StageStrip strip, strip_of(shared_stage(std::move(made)),
                                       probe.module.compile_as.value_or(CompileAs::none), hardware, stop));
  return columns_of(strip, stop);
}

Result<ModuleColumns> modules_of(const HloDiffOptions& options, const std::stop_token& stop) {
  if (options.files.size() < 2)
    return invalid("one module is there to be compared", "hlo diff",
                   "give two or more files, or one with --stages");
  if (options.files.size() > kMostModules)
    return invalid(fmt::format("{} modules do not stand beside each other", options.files.size()), "hlo diff",
                   fmt::format("give {} or fewer", kMostModules));
  std::vector<ModuleColumn> modules;
  for (const std::string& file : options.files) {
    TRY(Program module, read_module(file, stop));
    modules.push_back({file, SharedProgram(std::move(module))});
  }
  return columns_of(std::move(modules), stop);
}

// Of two modules that differ as they are written whether they do once they are partitioned.
Result<std::string> text_of(const ModuleColumns& columns, bool stages, const std::stop_token& stop) {
  const auto equal = [](const ModuleMatching& matching) { return matching.equal(); };
  if (!stages && std::ranges::all_of(columns.between, equal))
    return std::string("the modules are equal, names and metadata aside\n");
  TRY(std::string text, modules_text(columns, stop));
  if (stages || columns.modules.size() != 2) return text;
  TRY(const bool same,
      equal_once_partitioned(*columns.modules[0].program, *columns.modules[1].program, stop));
  if (same)
    text =
        "partitioned, the modules are equal, names and metadata aside; as they are written they differ:\n" +
        text;
  return text;
}

Result<std::string> written(const HloDiffOptions& options, const ModuleColumns& columns,
                            const std::stop_token& stop) {
  if (options.json || options.format == "json") return modules_json(columns, stop);
  if (options.format == "text") return text_of(columns, options.stages, stop);
  const auto file_name = [](const std::string& path) { return path.substr(path.find_last_of('/') + 1); };
  return modules_html(
      columns,
      options.stages ? fmt::format("Stages of {}", file_name(options.files.front())) : "Modules side by side",
      kMostModulesPage, stop);
}

Result<int> run(const HloDiffOptions& options, const std::stop_token& stop) {
  TRY(const ModuleColumns columns, options.stages ? stages_of(options, stop) : modules_of(options, stop));
  TRY(const std::string text, written(options, columns, stop));
  TRY_VOID(write_output(text, options.out));
  return kExitDone;
}

}  // namespace

Command add_hlo_diff_command(CLI::App& hlo) {
  CLI::App* command = hlo.add_subcommand(
      "diff", "Compare what modules do, apart from names and metadata; or the stages of one");
  auto options = std::make_shared<HloDiffOptions>();
  command
      ->add_option("files", options->files,
                   "Modules in any form that hlo partition reads; each is compared with the next")
      ->type_name(kInputFile)
      ->required();
  command->add_flag("--stages", options->stages,
                    "Compare the stages of one module: as read, propagated, partitioned, after the backend");
  add_partition_options(*command, *options);
  add_propagation(*command, *options);
  add_partitioner(*command, *options);
  add_field_option(*command, *find_field("hardware"), options->asked);
  add_field_option(*command, *find_field("compile-as"), options->asked);
  command
      ->add_option("--format", options->format, "text (default), json or html: one page with a column each")
      ->check(CLI::IsMember({"text", "json", "html"}));
  command->add_option("-o,--output", options->out, "Write to this file")->type_name(kOutputFile);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  return [options](std::stop_token stop) { return run(*options, stop); };
}

}  // namespace shardscope::inline cli
