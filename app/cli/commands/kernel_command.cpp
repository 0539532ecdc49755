// SPDX-License-Identifier: Apache-2.0
// kernel: what one core of each device does, under many schedules.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/kernel_of_command.h"
#include "app/cli/commands/kernel_pallas_commands.h"
#include "app/cli/commands/kernel_request.h"
#include "app/cli/options/common_options.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/kernel_output.h"
#include "app/cli/output/output.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/kernels/machine/every_schedule.h"
#include "engine/kernels/machine/explore.h"
#include "engine/kernels/machine/shrink.h"
#include "engine/kernels/time/time.h"
#include "engine/trace/kernel_record.h"
#include "engine/trace/workspace.h"

namespace shardscope::inline cli {
namespace {

using kernels::KernelEntry;
using kernels::KernelProgram;

constexpr const char* kJsonHelp = "One JSON object on stdout";

Result<int> sweep(const KernelCommandOptions& options, const KernelEntry& entry,
                  const kernels::KernelOptions& sizes, const Hardware& hardware,
                  const std::stop_token& stop) {
  std::vector<kernels::KernelAxis> axes;
  for (const std::string& text : options.over) {
    TRY(kernels::KernelAxis axis, kernels::parse_kernel_axis(text));
    axes.push_back(std::move(axis));
  }
  TRY(const auto points, kernels::sweep_kernel(entry, sizes, axes, hardware, stop));
  const bool any =
      std::any_of(points.begin(), points.end(), [](const auto& point) { return point.time.has_value(); });
  if (!any && !points.front().error.empty()) return invalid(points.front().error, "--over");
  TRY_VOID(print_text(options.json ? kernel_sweep_json(entry.id, axes, points)
                                   : kernel_sweep_text(entry.id, axes, points)));
  return kExitDone;
}

// Its time, or why it has none.
struct Timed {
  std::optional<KernelTime> time;
  std::string why;
};

Timed timed(const KernelProgram& program, const Hardware& hardware) {
  Timed out;
  Result<KernelTime> time = time_kernel(program, hardware);
  if (time.ok()) {
    out.time = *std::move(time);
  } else {
    out.why = time.error().text();
  }
  return out;
}

Result<int> show_run(const KernelCommandOptions& options, const KernelRun& done, const Timed& time,
                     bool every) {
  const std::string proof =
      every && done.clean() ? fmt::format("no schedule of the {} fails\n", group_digits(done.schedules)) : "";
  TRY_VOID(print_text(options.json ? kernel_run_json(done, time.time, time.why, every)
                                   : kernel_run_text(done, time.time, time.why) + proof));
  if (!options.db.empty()) TRY_VOID(record_kernel_run(options.db, done, time.time, options.seed));
  return done.clean() ? kExitDone : kExitWrongNumbers;
}

Result<int> run_every(const KernelCommandOptions& options, const RequestedKernel& asked,
                      const KernelProgram& program, const std::stop_token& stop) {
  kernels::EveryOptions how;
  how.input_seed = options.seed;
  TRY(const kernels::EveryRun done, explore_every(asked.entry, program, how, stop));
  if (!done.every)
    return too_big(fmt::format("there are more than {} schedules, {} of those tried fail", how.most,
                               done.run.clean() ? "none" : "some"),
                   asked.entry.id, "take fewer devices, or give a number of schedules");
  return show_run(options, done.run, timed(program, asked.hardware), true);
}

Result<int> shrink(const KernelCommandOptions& options, const std::stop_token& stop) {
  TRY(const RequestedKernel asked, read_request(options));
  TRY(KernelProgram program, build_kernel(asked.entry, asked.sizes));
  TRY_VOID(kernels::KernelReplay::fits(program));
  TRY(const kernels::Schedule schedule, read_schedule(options));
  TRY(const auto shrunk, kernels::shrink(asked.entry, program, schedule, options.seed, stop));
  TRY_VOID(print_text(
      kernel_shrink_output(asked.entry, std::move(program), schedule, options.seed, shrunk, options.json)));
  return shrunk ? kExitWrongNumbers : kExitDone;
}

Result<int> run(const KernelCommandOptions& options, const std::stop_token& stop) {
  TRY(const RequestedKernel asked, read_request(options));
  const auto& [entry, hardware, sizes] = asked;
  if (!options.over.empty()) return sweep(options, entry, sizes, hardware, stop);
  if (!options.db.empty()) TRY_VOID(check_workspace_name(options.db));
  TRY(const KernelProgram program, build_kernel(entry, sizes));
  TRY(const kernels::Schedule schedule, read_schedule(options));
  TRY(const std::optional<int64_t> count, read_schedules(options));
  if (!count) return run_every(options, asked, program, stop);
  kernels::ExploreOptions how;
  how.schedules = count.value_or(0);
  how.seed = options.seed;
  if (options.policy != "mixed") how.policy = schedule.policy;
  TRY(const KernelRun done, explore(entry, program, how, Workers(options.threads), stop));
  return show_run(options, done, timed(program, hardware), false);
}

Result<int> print(const KernelCommandOptions& options) {
  TRY(const KernelEntry entry, read_kernel(options.id));
  TRY_VOID(write_output(join(entry.listing.lines, "\n") + "\n", options.output));
  return kExitDone;
}

Result<int> show_replay(const KernelCommandOptions& options, const kernels::KernelReplay& done) {
  TRY_VOID(print_text(options.json ? kernel_replay_json(done) : kernel_replay_text(done)));
  return done.outcome().correct && done.outcome().findings.empty() ? kExitDone : kExitWrongNumbers;
}

Result<int> replay(const KernelCommandOptions& options) {
  TRY(const RequestedKernel asked, read_request(options));
  const auto& [entry, hardware, sizes] = asked;
  TRY(KernelProgram program, build_kernel(entry, sizes));
  TRY_VOID(kernels::KernelReplay::fits(program));
  TRY(const kernels::Schedule schedule, read_schedule(options));
  return show_replay(options, kernels::KernelReplay(entry, std::move(program), schedule, options.seed));
}

}  // namespace

Command add_kernel_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "kernel", "Kernels with DMA and semaphores: run one under many schedules, find its hazards, time it");
  command->require_subcommand(1);
  auto options = std::make_shared<KernelCommandOptions>();
  CLI::App* list = command->add_subcommand("list", "List the kernels");
  list->add_flag("--json", options->json, kJsonHelp);
  CLI::App* runs = command->add_subcommand("run", "Run a kernel under many schedules, or sweep its tiles");
  add_kernel_options(*runs, *options);
  runs->add_flag("--json", options->json, kJsonHelp);
  runs->add_option("--schedules", options->schedules,
                   "How many schedules, or all on a small mesh (default: 300)");
  runs->add_option("--over", options->over,
                   "Time it over tile sizes instead, as in bm=128,256,512; repeatable");
  runs->add_option("--db", options->db, "Record the run and its findings in this workspace")
      ->type_name(kWorkspaceFile);
  add_threads(*runs, options->threads);
  CLI::App* replays = command->add_subcommand("replay", "Show every step of the schedule of --seed");
  add_kernel_options(*replays, *options);
  replays->add_flag("--json", options->json, kJsonHelp);
  CLI::App* shrinks = command->add_subcommand(
      "shrink", "Cut the schedule of --seed down to the choices that its failure needs");
  add_kernel_options(*shrinks, *options);
  shrinks->add_flag("--json", options->json, kJsonHelp);
  CLI::App* prints = command->add_subcommand("print", "Print a kernel's text");
  add_kernel_name(*prints, *options);
  prints->add_option("-o,--output", options->output, "Write to this file (default: stdout)")
      ->type_name(kOutputFile);
  const Command pallas = add_kernel_pallas_commands(*command);
  const Command of = add_kernel_of_command(*command);
  return [options, list, runs, prints, shrinks, pallas, of,
          command](const std::stop_token& stop) -> Result<int> {
    if (command->got_subcommand("of")) return of(stop);
    if (prints->parsed()) return print(*options);
    if (shrinks->parsed()) return shrink(*options, stop);
    if (command->got_subcommand("code") || command->got_subcommand("read")) return pallas(stop);
    if (list->parsed()) {
      TRY_VOID(print_text(options->json ? kernel_list_json() : kernel_list_text()));
      return kExitDone;
    }
    return runs->parsed() ? run(*options, stop) : replay(*options);
  };
}

}  // namespace shardscope::inline cli
