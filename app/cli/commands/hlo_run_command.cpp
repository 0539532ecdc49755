// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/options/backend_option.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/module_values_output.h"
#include "app/cli/output/output.h"
#include "app/cli/output/progress_line.h"
#include "app/cli/output/ranks_output.h"
#include "engine/base/say.h"
#include "engine/base/units.h"
#include "engine/report/memory_report.h"
#include "engine/report/report.h"
#include "engine/session/hlo_run.h"
#include "engine/session/module_preset.h"

namespace shardscope::inline cli {
namespace {

struct HloRunOptions : HloOptions {
  std::vector<std::string> arguments;
  std::string check = "auto", out, db;
  bool print = false;
};

Result<ModuleRunOptions> run_options(const HloRunOptions& options) {
  ModuleRunOptions how;
  TRY(how.check, parse_check_mode(options.check, "--check"));
  TRY(how.partition, partition_options(options));
  how.asked = options.asked;
  for (const std::string& text : options.arguments) {
    TRY(TypedArgument typed, parse_typed_argument(text));
    how.arguments.push_back(std::move(typed));
  }
  const char* const wants_numbers = !options.out.empty()         ? "--out"
                                    : !options.arguments.empty() ? "--arg"
                                    : options.print              ? "--print"
                                                                 : nullptr;
  if (how.check == CheckMode::off && wants_numbers != nullptr)
    return invalid("there are no numbers with --check off", wants_numbers, "leave out --check");
  how.ranks = joined_ranks();
  if (joined_ranks() != nullptr) joined_ranks()->keep_first_log();
  how.values = wants_numbers != nullptr;
  if (const auto typed = options.asked.find("threads"); typed != options.asked.end()) {
    const Field& threads = *find_field("threads");
    ExecutionSettings settings;
    Result<void> fine = check_range(threads, typed->second);
    if (fine.ok()) fine = put(threads, settings, typed->second);
    if (!fine.ok()) return placed(fine.error(), "--threads");
    how.threads = settings.threads;
  }
  return how;
}

// Results are printed where they were asked for, or somebody gave values to get them.
std::string output_text(const HloRunOptions& options, const ModuleRun& done,
                        const std::vector<std::string>& written,
                        const std::optional<RanksMeasured>& measured) {
  if (options.json) {
    auto out = nlohmann::ordered_json::parse(run_json(*done.run));
    if (done.memory) out["memory"] = nlohmann::ordered_json::parse(memory_use_json(*done.memory));
    out["compiler_estimate_s"] = nullptr;
    if (done.compiler_estimate_s) out["compiler_estimate_s"] = *done.compiler_estimate_s;
    out.update(module_values_json(done));
    if (measured) out["cluster"] = ranks_json(*measured);
    return out.dump(2) + "\n";
  }
  std::string out = run_text(*done.run);
  if (measured) out += ranks_text(*measured);
  if (done.compiler_estimate_s)
    out += say("compiler   {} of kernels, by the estimates that it wrote into the module\n",
               format_seconds(*done.compiler_estimate_s));
  if (done.memory)
    for (const std::string& line : memory_use_lines(*done.memory)) out += "memory     " + line + "\n";
  if (!options.arguments.empty() || options.print) out += module_arguments_text(done);
  for (const std::string& path : written) out += "written    " + path + "\n";
  if (!options.out.empty()) out += left_out_text(done);
  if (!options.arguments.empty() || options.print) out += module_results_text(done);
  return out;
}

// What a preset says, where the command line says nothing else.
Result<HloRunOptions> with_preset(HloRunOptions options) {
  if (!is_module_preset(options.file)) return options;
  TRY(ModulePreset preset, read_module_preset(options.file));
  options.asked.merge(preset.asked);
  return options;
}

Result<int> run(const HloRunOptions& typed, std::stop_token stop) {
  TRY(const HloRunOptions options, with_preset(typed));
  TRY(ModuleRunOptions how, run_options(options));
  TRY(const HloText read, read_module_text(options, stop));
  const Program& module = read.program;
  if (read.cut) how.cut = read.cut->what;
  const int64_t devices = module.mesh.device_count();
  if (options.devices && devices > 1 && is_partitioned(module) && *options.devices != devices) {
    return invalid("the module is partitioned for " + std::to_string(devices) + " devices, got " +
                       std::to_string(*options.devices),
                   "--devices", "leave it out");
  }
  if (!options.db.empty()) {
    TRY(how.workspace, Workspace::open(options.db));
  }
  const ProgressLine line(!options.quiet && !options.json);
  if (auto shower = line.shower())
    how.progress = [shower = std::move(shower)](const Progress& p) { shower(p.what, p.fraction); };
  Result<ModuleRun> done = execute_module(module, how, std::move(stop));
  line.clear();
  std::vector<RunPtr> runs;
  if (done.ok()) runs.push_back(done->run);
  const Result<void> recorded = how.workspace ? wait_for_record(*how.workspace, runs) : Result<void>();
  if (!done.ok()) return done.error();
  done->run = runs.front();
  // What was computed is shown, whatever becomes of its files.
  const auto written = options.out.empty() ? Result<std::vector<std::string>>(std::vector<std::string>())
                                           : write_module_results(*done, options.out);
  std::optional<RanksMeasured> measured;
  if (how.ranks != nullptr && joined_ranks()->logged() != nullptr) {
    TRY(measured, measure_ranks(*done->run, *joined_ranks(), recorded.ok() ? options.db : "", {}));
  }
  TRY_VOID(print_text(
      output_text(options, *done, written.ok() ? *written : std::vector<std::string>(), measured)));
  TRY_VOID(recorded);
  if (!written.ok()) return written.error();
  const NumericsReport& numerics = done->run->numerics;
  return numerics.checked && !numerics.allclose ? kExitWrongNumbers : kExitDone;
}

}  // namespace

Command add_hlo_run_command(CLI::App& hlo) {
  CLI::App* command = hlo.add_subcommand(
      "run", "Run a module on the simulated mesh (partitioned first if needed): numbers, time, record");
  auto options = std::make_shared<HloRunOptions>();
  add_hlo_file(*command, *options);
  add_partition_options(*command, *options);
  for (const Field& field : fields())
    if (field.has(kModule)) add_field_option(*command, field, options->asked);
  command
      ->add_option("--arg", options->arguments,
                   "A parameter's value, by name or number: p0=X.npy, 1=3 (everywhere) or p0=[[1,2],[3,4]], "
                   "a complex number as (1,2) or 1+2j; repeatable. The rest is drawn from the seed")
      ->type_name("NAME=VALUE");
  command
      ->add_option("--out", options->out,
                   "Write each result to an NPY file in this folder; types that numpy lacks as f4, i1 or u1")
      ->type_name(kOutputFolder);
  command->add_flag("--print", options->print,
                    "Print the results as numpy prints them (so does --arg); JSON has them anyway");
  add_check(*command, options->check);
  add_backend(*command);
  command->add_option("--db", options->db, "Record the run in this workspace")->type_name(kWorkspaceFile);
  command->add_flag("--json", options->json, "One JSON object on stdout; a complex number is [re, im] there");
  add_quiet(*command, *options);
  return [options](std::stop_token stop) { return at_its_line(*options, run(*options, stop), stop); };
}

}  // namespace shardscope::inline cli
