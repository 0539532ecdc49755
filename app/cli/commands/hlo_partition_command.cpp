// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
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
#include "engine/session/modules/after_passes.h"
#include "engine/session/modules/collective_volume.h"
#include "engine/session/modules/compiled_memory.h"
#include "engine/session/proof/module_check.h"

namespace shardscope {
namespace {

struct PartitionCommandOptions : HloOptions {
  std::string check = "auto", out, stage;
  bool tiles = false, instead = false, beside = false, fixes = false;
  uint64_t seed = 0;
  int threads = 0;
};

using Tell = std::function<void(const char* what, double part)>;

struct Answer {
  std::shared_ptr<const Partitioned> made;
  StagePtr last;  // behind it, by --compile-as
  MemoryUse memory;
  ModuleNumbers proof;
};

// What the compiler's backend makes of the collectives.
Result<void> compile(const PartitionCommandOptions& options, const Hardware& hardware,
                     const std::stop_token& stop, Answer& out) {
  Experiment probe;
  if (const auto typed = options.asked.find("compile-as"); typed != options.asked.end())
    TRY_VOID(put(*find_field("compile-as"), probe, typed->second));
  if (probe.module.compile_as != CompileAs::xla_gpu) {
    out.last = out.made;
    return {};
  }
  TRY(const auto passes, collective_passes(out.made, kCombineBytes, stop));
  out.last = passes;
  out.made = shared_stage(after_passes(out.made, passes, hardware));
  return {};
}

Result<Answer> answer(HloText read, const PartitionCommandOptions& options, CheckMode check,
                      const Hardware& hardware, PartitionOptions how, const Tell& tell) {
  how.progress = [&tell](double part) { tell("partitioning", part); };
  tell("propagating shardings", 0);
  TRY(Partitioned made, partition(read_stage(std::move(read.program)), how));
  Answer out;
  choose_algorithms(made, hardware);
  out.made = shared_stage(std::move(made));
  TRY_VOID(compile(options, hardware, how.stop, out));
  TRY(out.memory, compiled_memory(*out.made->program, hardware, {}, how.stop));
  out.proof.report.check = ProofSize::off;
  if (check == CheckMode::off) return out;
  tell("proving", 0);
  TRY(out.proof,
      check_read_module({out.made, read.cut, how}, {check, options.seed, options.threads}, how.stop));
  if (out.last != StagePtr(out.made) && out.proof.report.check == ProofSize::shrunk)
    out.proof.report.warnings.emplace_back(
        "on smaller arrays the module was run as it was partitioned, without "
        "the backend's passes; --check full runs them");
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

// The stage of that name, the partitioned one where nothing is asked for.
Result<StagePtr> asked_stage(const StagePtr& last, const std::string& asked) {
  if (asked.empty()) return last;
  std::vector<std::string> names;
  for (StagePtr stage = last; stage != nullptr; stage = stage->before) {
    if (name(stage->kind) == asked) return stage;
    if (names.empty() || names.front() != name(stage->kind)) names.insert(names.begin(), name(stage->kind));
  }
  const bool shardys = asked == "resharded" || asked == "collectives" || asked == "padded";
  const bool divides = asked == "padded" && std::ranges::count(names, "collectives") > 0;
  return invalid(fmt::format("the module has no stage '{}', only {}", asked, fmt::join(names, ", ")),
                 "--stage",
                 divides   ? "every sharding divides its array, or a note says why they are not padded there"
                 : shardys ? "say --partitioner shardy"
                           : "");
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
  const auto& [made, last, memory, proof] = **done;
  // What was computed is shown, whatever becomes of its file.
  TRY(const StagePtr stage, asked_stage(last, options.stage));
  const Result<void> saved =
      options.out.empty() ? Result<void>() : write_output(print_program(*stage->program), options.out);
  if (!options.stage.empty() && options.out.empty() && !options.json) {
    TRY_VOID(print_text(print_program(*stage->program)));
  } else if (options.json || options.out.empty()) {
    PartitionPage page{*made, hardware, memory, proof, how.dialect, options.tiles};
    if (options.instead) {
      TRY(page.instead, instead_of(*made, hardware, how.stop));
    }
    const Program& module = *first_stage(*made).program;
    if (options.fixes) {
      TRY(page.fixes, fixes_of(*made, how, hardware, fix_limits(module)));
    } else if (!made->rematerializations.empty()) {
      TRY(page.fixes, fixes_of(*made, how, hardware, unasked_fix_limits(module)));
    }
    if (options.beside) {
      TRY(page.partitioners, by_partitioner(*made, how, hardware));
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
  add_partitioner(*command, *options);
  add_field_option(*command, *find_field("hardware"), options->asked);
  add_field_option(*command, *find_field("compile-as"), options->asked);
  command->get_option("--compile-as")
      ->description(
          "xla-gpu: also what XLA's GPU backend makes of the collectives: reduce-scatters, combined ones "
          "(default: none)");
  add_check(*command, options->check);
  command->add_flag("--tiles", options->tiles, "Print shardings as XLA's tiles instead of PartitionSpecs");
  command->add_flag("--alternatives", options->instead,
                    "Say of each collective how long it takes and what could be done instead");
  command->add_flag("--fixes", options->fixes,
                    "Say which annotations do without collectives and send less or take less time; each is "
                    "tried first");
  command->add_flag("--both-partitioners", options->beside,
                    "Say what each partitioner makes of the module, side by side: collectives, bytes, time");
  command
      ->add_option(
          "--stage", options->stage,
          "Print the module as it is at this stage: propagated, with --partitioner shardy also "
          "resharded (every change of a sharding a copy), collectives (each copy one collective) and padded "
          "(arrays that their shardings do not divide are larger)")
      ->type_name("propagated|resharded|collectives|padded|partitioned|backend");
  command->add_option("-o,--output,--out", options->out, "Write the partitioned module to this file")
      ->type_name(kOutputFile);
  command->add_option("--seed", options->seed, "Seed of the inputs (default: 0)");
  command->add_option("--threads", options->threads, "Threads (default: all)")->check(CLI::Range(1, 1024));
  add_quiet(*command, *options);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  return [options](std::stop_token stop) { return at_its_line(*options, run(*options, stop), stop); };
}

}  // namespace shardscope
