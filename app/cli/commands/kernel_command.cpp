// SPDX-License-Identifier: Apache-2.0
// kernel: what one core of each device does, under many schedules.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/kernel_of_command.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/kernel_output.h"
#include "app/cli/output/output.h"
#include "engine/kernels/catalogue/sizes.h"
#include "engine/kernels/machine/explore.h"
#include "engine/kernels/machine/shortest.h"
#include "engine/kernels/time/time.h"
#include "engine/trace/kernel_record.h"
#include "engine/trace/workspace.h"

namespace shardscope {
namespace {

using kernels::KernelEntry;
using kernels::KernelProgram;

struct KernelCommandOptions {
  std::string id, dtype = "f32", hardware = "tpu-v5e", policy = "mixed";
  std::optional<int64_t> ring;
  std::optional<std::string> mesh;
  kernels::KernelOptions sizes;
  std::vector<std::string> over;
  std::string db;
  int64_t schedules = 300;
  uint64_t seed = 0;
  int threads = 0;
  bool shortest = false;
  bool json = false;
};

Result<Mesh> read_mesh(const KernelCommandOptions& options, const KernelEntry& entry) {
  if (options.ring && options.mesh) return invalid("expected one of --ring and --mesh", "kernel");
  if (options.mesh) {
    Result<Mesh> mesh = Mesh::parse(*options.mesh);
    if (!mesh.ok()) return invalid(mesh.error().what, "--mesh", mesh.error().fix);
    return mesh;
  }
  if (options.ring) {
    if (*options.ring < 1)
      return invalid(fmt::format("a ring of {} devices", *options.ring), "--ring", "give at least 1");
    return Mesh::make({{"x", *options.ring, true}});
  }
  return kernels::default_mesh(entry);
}

Result<kernels::KernelOptions> read_options(const KernelCommandOptions& options, const KernelEntry& entry,
                                            const Hardware& hardware) {
  kernels::KernelOptions out = options.sizes;
  if (!out.hbm_limit) out.hbm_limit = hardware.memory.hbm_bytes;
  TRY(out.mesh, read_mesh(options, entry));
  const auto type = parse_element_type(options.dtype);
  if (!type)
    return invalid(fmt::format("unknown dtype '{}'", options.dtype), "--dtype", "use f32, bf16 or f16");
  out.dtype = *type;
  return out;
}

Result<kernels::Schedule> read_schedule(const KernelCommandOptions& options) {
  if (options.policy == "mixed") return kernels::schedule_of(options.seed);
  TRY(const kernels::Policy policy, kernels::parse_policy(options.policy));
  return kernels::Schedule{policy, options.seed};
}

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
  TRY_VOID(write_output(
      options.json ? kernel_sweep_json(entry.id, axes, points) : kernel_sweep_text(entry.id, axes, points),
      ""));
  return kExitDone;
}

Result<int> run(const KernelCommandOptions& options, const std::stop_token& stop) {
  TRY(const KernelEntry entry, kernels::find_kernel(options.id));
  TRY(const Hardware hardware, find_hardware(options.hardware));
  TRY(const kernels::KernelOptions sizes, read_options(options, entry, hardware));
  if (!options.over.empty()) return sweep(options, entry, sizes, hardware, stop);
  if (!options.db.empty()) TRY_VOID(check_workspace_name(options.db));
  TRY(const KernelProgram program, build_kernel(entry, sizes));
  TRY(const kernels::Schedule schedule, read_schedule(options));
  kernels::ExploreOptions how;
  how.schedules = options.schedules;
  how.seed = options.seed;
  if (options.policy != "mixed") how.policy = schedule.policy;
  TRY(const KernelRun done, explore(entry, program, how, Workers(options.threads), stop));
  std::optional<KernelTime> time;
  std::string why;
  Result<KernelTime> timed = time_kernel(program, hardware);
  if (timed.ok()) {
    time = *std::move(timed);
  } else {
    why = timed.error().text();
  }
  TRY_VOID(print_text(options.json ? kernel_run_json(done, time, why) : kernel_run_text(done, time, why)));
  if (!options.db.empty()) {
    TRY_VOID(record_kernel_run(options.db, done, time, options.seed));
  }
  return done.clean() ? kExitDone : kExitWrongNumbers;
}

Result<int> show_replay(const KernelCommandOptions& options, const kernels::KernelReplay& done) {
  TRY_VOID(print_text(options.json ? kernel_replay_json(done) : kernel_replay_text(done)));
  return done.outcome().correct && done.outcome().findings.empty() ? kExitDone : kExitWrongNumbers;
}

// Exit 0: no schedule broke it, so there is nothing to show.
Result<int> replay_shortest(const KernelCommandOptions& options, KernelProgram program,
                            const std::stop_token& stop) {
  TRY(const auto shortest, kernels::find_shortest(program, {}, stop));
  if (!shortest) {
    std::fputs(fmt::format("none of {} schedules of {} breaks before its end\n",
                           kernels::ShortestOptions{}.schedules, options.id)
                   .c_str(),
               stderr);
    return kExitDone;
  }
  std::fputs(fmt::format("the first schedule that fails, of seed {}, does so after {} of {} steps; the "
                         "shortest found after {}\n",
                         shortest->first_seed, shortest->first_failed_at, shortest->first_steps,
                         shortest->choices.size())
                 .c_str(),
             stderr);
  return show_replay(options, kernels::KernelReplay(std::move(program), shortest->choices, options.seed));
}

Result<int> replay(const KernelCommandOptions& options, const std::stop_token& stop) {
  TRY(const KernelEntry entry, kernels::find_kernel(options.id));
  TRY(const Hardware hardware, find_hardware(options.hardware));
  TRY(const kernels::KernelOptions sizes, read_options(options, entry, hardware));
  TRY(KernelProgram program, build_kernel(entry, sizes));
  TRY_VOID(kernels::KernelReplay::fits(program));
  if (options.shortest) return replay_shortest(options, std::move(program), stop);
  TRY(const kernels::Schedule schedule, read_schedule(options));
  return show_replay(options, kernels::KernelReplay(entry, std::move(program), schedule, options.seed));
}

void add_kernel_options(CLI::App& command, KernelCommandOptions& o) {
  command.add_option("kernel", o.id, "Kernel id (see kernel list)")->required();
  command.add_option("--ring", o.ring, "Devices of a ring (default: 4)");
  command.add_option("--mesh", o.mesh, "Mesh axes, as in x=2,y=2");
  command.add_option("--dtype", o.dtype, "f32, bf16 or f16 (default: f32)");
  command.add_option("--rows", o.sizes.rows, "Rows of a device's shard (collectives)");
  command.add_option("--cols", o.sizes.cols, "Columns of a device's shard (collectives)");
  command.add_option("--m", o.sizes.m, "Rows of the product");
  command.add_option("--k", o.sizes.k, "Contracted dimension of the product");
  command.add_option("--n", o.sizes.n, "Columns of the product");
  command.add_option("--bm", o.sizes.bm, "Rows of a tile");
  command.add_option("--bk", o.sizes.bk, "Contracted dimension of a tile");
  command.add_option("--bn", o.sizes.bn, "Columns of a tile");
  command.add_option("--chunks", o.sizes.chunks, "Pieces that a fused kernel overlaps");
  command.add_option("--vmem-limit", o.sizes.vmem_limit, "Bytes of vmem a kernel may take (default: 16 MiB)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command.add_option("--hbm-limit", o.sizes.hbm_limit, "Bytes of hbm of a device (default: the chip's)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 50));
  command.add_option("--smem-limit", o.sizes.smem_limit, "Bytes of smem a kernel may take (default: any)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command.add_option("--semaphore-limit", o.sizes.semaphore_limit, "Semaphores of a device (default: any)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command.add_option("--hardware", o.hardware, "Preset or file (default: tpu-v5e)");
  command.add_option("--seed", o.seed, "Seed of the inputs and of the first schedule (default: 0)");
  command.add_option("--policy", o.policy,
                     "mixed, random, slow_device, dma_early, dma_late or reordered (default: mixed)");
  command.add_flag("--json", o.json, "One JSON object on stdout");
}

}  // namespace

Command add_kernel_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "kernel", "Kernels with DMA and semaphores: run one under many schedules, find its hazards, time it");
  command->require_subcommand(1);
  auto options = std::make_shared<KernelCommandOptions>();
  CLI::App* list = command->add_subcommand("list", "List the kernels");
  list->add_flag("--json", options->json, "One JSON object on stdout");
  CLI::App* runs = command->add_subcommand("run", "Run a kernel under many schedules, or sweep its tiles");
  add_kernel_options(*runs, *options);
  runs->add_option("--schedules", options->schedules, "How many schedules (default: 300)")
      ->check(CLI::Range(int64_t{1}, int64_t{1000000}));
  runs->add_option("--over", options->over,
                   "Time it over tile sizes instead, as in bm=128,256,512; repeatable");
  runs->add_option("--db", options->db, "Record the run and its findings in this workspace")
      ->type_name(kWorkspaceFile);
  runs->add_option("--threads", options->threads, "Threads (default: all)")->check(CLI::Range(1, 1024));
  CLI::App* replays = command->add_subcommand("replay", "Show every step of the schedule of --seed");
  add_kernel_options(*replays, *options);
  replays->add_flag("--shortest", options->shortest,
                    "Instead: the shortest schedule found that reads unwritten memory");
  const Command of = add_kernel_of_command(*command);
  return [options, list, runs, of, command](const std::stop_token& stop) -> Result<int> {
    if (command->got_subcommand("of")) return of(stop);
    if (list->parsed()) {
      TRY_VOID(print_text(options->json ? kernel_list_json() : kernel_list_text()));
      return kExitDone;
    }
    return runs->parsed() ? run(*options, stop) : replay(*options, stop);
  };
}

}  // namespace shardscope
