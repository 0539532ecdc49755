// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/output/output.h"
#include "app/cli/output/progress_line.h"
#include "engine/report/report.h"
#include "engine/session/hlo_run.h"

namespace shardscope {
namespace {

struct HloRunOptions : HloOptions {
  std::string hardware = "tpu-v5e", check = "on", db;
  uint64_t seed = 0;
  int threads = 0;
  bool quiet = false;
};

Result<int> run(const HloRunOptions& options, std::stop_token stop) {
  ModuleRunOptions how;
  TRY(how.check, on_or_off(options.check, "--check"));
  TRY(how.partition, partition_options(options));
  how.hardware = options.hardware;
  how.seed = options.seed;
  how.threads = options.threads;
  TRY(const Program module, read_module(options.file));
  if (options.devices && is_partitioned(module) && *options.devices != module.mesh.device_count()) {
    return invalid("the module is partitioned for " + std::to_string(module.mesh.device_count()) +
                       " devices, got " + std::to_string(*options.devices),
                   "--devices", "leave it out");
  }
  if (!options.db.empty()) {
    TRY(how.workspace, Workspace::open(options.db));
  }
  const ProgressLine line(!options.quiet && !options.json);
  if (auto shower = line.shower())
    how.progress = [shower = std::move(shower)](const Progress& p) { shower(p.what, p.fraction); };
  const Result<ModuleRun> done = execute_module(module, how, std::move(stop));
  line.clear();
  const Result<void> recorded = how.workspace ? how.workspace->wait() : Result<void>();
  if (!done.ok()) return done.error();
  TRY_VOID(recorded);
  const Run& finished = *done->run;
  TRY_VOID(write_output(options.json ? run_json(finished) : run_text(finished), ""));
  return finished.numerics.checked && !finished.numerics.allclose ? kExitWrongNumbers : kExitDone;
}

}  // namespace

Command add_hlo_run_command(CLI::App& hlo) {
  CLI::App* command = hlo.add_subcommand(
      "run", "Run a module on the simulated mesh, partitioned first when it is not: numbers, time, record");
  auto options = std::make_shared<HloRunOptions>();
  add_hlo_file(*command, *options);
  add_partition_options(*command, *options);
  command->add_option("--hardware", options->hardware, "Preset name or file (default tpu-v5e)");
  command->add_option("--check", options->check,
                      "on: compute the numbers, and compare with one device (default on)");
  command->add_option("--seed", options->seed, "Of the numbers that are computed (default 0)");
  command->add_option("--threads", options->threads, "How many (default: all)")->check(CLI::Range(0, 1024));
  command->add_option("--db", options->db, "Record the run in this workspace");
  command->add_flag("--json", options->json, "One JSON object on stdout");
  command->add_flag("--quiet", options->quiet, "No progress on stderr");
  return [options](std::stop_token stop) { return run(*options, std::move(stop)); };
}

}  // namespace shardscope
