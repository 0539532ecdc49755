// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <functional>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/options/kept.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "app/cli/output/partition_output.h"
#include "app/cli/output/progress_line.h"
#include "engine/request/fields.h"
#include "engine/session/modules/collective_volume.h"
#include "engine/session/proof/module_check.h"

namespace shardscope {
namespace {

struct PartitionCommandOptions : HloOptions {
  std::string check = "auto", out;
  bool tiles = false, instead = false;
  uint64_t seed = 0;
  int threads = 0;
};

using Tell = std::function<void(const char* what, double part)>;

struct Answer {
  std::shared_ptr<const Partitioned> made;
  ModuleNumbers proof;
};
Result<Answer> answer(HloText read, const PartitionCommandOptions& options, CheckMode check,
                      const Hardware& hardware, PartitionOptions how, const Tell& tell) {
  how.progress = [&tell](double part) { tell("partitioning", part); };
  tell("propagating shardings", 0);
  TRY(Partitioned made, partition(read_stage(std::move(read.program)), how));
  Answer out;
  choose_algorithms(made, hardware);
  out.made = shared_stage(std::move(made));
  out.proof.report.check = ProofSize::off;
  if (check == CheckMode::off) return out;
  tell("proving", 0);
  TRY(out.proof,
      check_read_module({out.made, read.cut, how}, {check, options.seed, options.threads}, how.stop));
  return out;
}

// All that an answer depends on.
std::string answer_key(const PartitionCommandOptions& o, const Hardware& hardware) {
  std::string out = fmt::format(
      "partition {} {} {} {} {} {} {} {} {} {}", module_key(o), o.devices.value_or(0), o.dialect, o.propagate,
      o.windowed_einsum_mib.value_or(-1), o.unroll, o.bidirectional, o.check, o.seed, hardware.name);
  for (const auto& [key, value] : o.asked) out += fmt::format(" {}={}{}", key, value, file_stamp(value));
  return out;
}

Result<int> run(const PartitionCommandOptions& options, std::stop_token stop) {
  TRY(const CheckMode check, parse_check_mode(options.check, "--check"));
  TRY(const Hardware hardware, typed_hardware(options.asked));  // whose memory the program should fit
  TRY(HloText read, read_module_text(options, stop));
  TRY(PartitionOptions how, partition_options(options));
  how.stop = std::move(stop);
  const ProgressLine line(!options.quiet && !options.json);
  const auto shower = line.shower();
  const auto tell = [&shower](const char* what, double part) {
    if (shower) shower(what, part);
  };
  const auto done = kept<Answer>(answer_key(options, hardware), [&] {
    return answer(std::move(read), options, check, hardware, how, tell);
  });
  line.clear();
  if (!done.ok()) return done.error();
  const auto& [made, proof] = **done;
  // What was computed is shown, whatever becomes of its file.
  const Result<void> saved =
      options.out.empty() ? Result<void>() : write_output(print_program(*made->program), options.out);
  if (options.json || options.out.empty()) {
    PartitionPage page{*made, hardware, proof, how.dialect, options.tiles};
    if (options.instead) {
      TRY(page.instead, instead_of(*made, hardware, how.stop));
    }
    TRY_VOID(print_text(options.json ? partition_json(page) : partition_text(page)));
  }
  TRY_VOID(saved);
  return proof.report.checked && !proof.report.allclose ? kExitWrongNumbers : kExitDone;
}

}  // namespace

Command add_hlo_partition_command(CLI::App& hlo) {
  CLI::App* command =
      hlo.add_subcommand("partition", "Partition a module, say why each collective is there, prove it");
  auto options = std::make_shared<PartitionCommandOptions>();
  add_hlo_file(*command, *options);
  add_partition_options(*command, *options);
  add_propagation(*command, *options);
  add_field_option(*command, *find_field("hardware"), options->asked);
  add_check(*command, options->check);
  command->add_flag("--tiles", options->tiles, "Print shardings as XLA's tiles instead of PartitionSpecs");
  command->add_flag("--alternatives", options->instead,
                    "Say of each collective how long it takes and what could be done instead");
  command->add_option("-o,--output,--out", options->out, "Write the partitioned module to this file")
      ->type_name(kOutputFile);
  command->add_option("--seed", options->seed, "Seed of the inputs (default: 0)");
  command->add_option("--threads", options->threads, "Threads (default: all)")->check(CLI::Range(1, 1024));
  add_quiet(*command, *options);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  return [options](std::stop_token stop) { return at_its_line(*options, run(*options, stop), stop); };
}

}  // namespace shardscope
