// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/options/common_options.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/options/kept.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "app/cli/output/partition_output.h"
#include "app/cli/output/progress_line.h"
#include "engine/request/fields.h"
#include "engine/session/compiled/after_passes.h"
#include "engine/session/modules/collective_volume.h"
#include "engine/session/modules/compiled_memory.h"
#include "engine/session/proof/module_check.h"

namespace shardscope::inline cli {
namespace {

struct PartitionCommandOptions : HloOptions {
  std::string check = "auto", out, stage;
  std::vector<std::string> xla_flags;
  bool tiles = false, instead = false, beside = false, fixes = false;
  uint64_t seed = 0;
  int threads = 0;
};

using Tell = std::function<void(const char* what, double part)>;

struct Answer {
  BackendModule module;  // by --compile-as
  MemoryUse memory;
  ModuleNumbers proof;
};

// How it is checked, and whose backend goes on with the module; no compiler: it stays as it was partitioned,
// its memory is that of what the chip's own would make of it.
struct Wishes {
  CheckMode check = CheckMode::automatic;
  std::optional<CompileAs> compiler{};
  XlaFlags flags{};
};
Result<Wishes> wishes_of(const PartitionCommandOptions& options) {
  Wishes out;
  TRY(out.check, parse_check_mode(options.check, "--check"));
  if (const auto typed = options.asked.find("compile-as"); typed != options.asked.end()) {
    Experiment probe;
    TRY_VOID(put(*find_field("compile-as"), probe, typed->second));
    out.compiler = probe.module.compile_as;
  }
  for (const std::string& flag : options.xla_flags) TRY_VOID(put_xla_flag(flag, out.flags));
  if (!options.xla_flags.empty() && out.compiler != CompileAs::xla_gpu)
    return invalid("these are flags of XLA's GPU compiler", "--xla-flag", "say --compile-as xla-gpu too");
  return out;
}

// The stage of that name, the last one where nothing is asked for.
Result<StagePtr> asked_stage(const StagePtr& last, const std::string& asked) {
  if (asked.empty()) return last;
  std::vector<std::string> names;
  if (backend_pass(last) != nullptr) names.emplace_back(name(StageKind::backend));
  for (StagePtr stage = last; stage != nullptr; stage = stage->before) {
    const auto pass = backend_pass(stage);
    names.insert(names.begin(), pass != nullptr ? pass->pass : name(stage->kind));
    if (name(stage->kind) == asked || names.front() == asked) return stage;
  }
  const bool shardys = asked == "resharded" || asked == "collectives" || asked == "padded";
  const bool divides = asked == "padded" && std::ranges::count(names, "collectives") > 0;
  return invalid(fmt::format("the module has no stage '{}', only {}", asked, fmt::join(names, ", ")),
                 "--stage",
                 divides   ? "every sharding divides its array, or a note says why they are not padded there"
                 : shardys ? "say --partitioner shardy"
                           : "");
}

// What is proved: the module as it is at the stage that was asked for, where it runs on devices by then.
Result<std::shared_ptr<const Partitioned>> to_prove(const BackendModule& module, const std::string& asked) {
  TRY(const StagePtr stage, asked_stage(module.last, asked));
  if (stage == module.last || (backend_pass(stage) == nullptr && stage->kind != StageKind::partitioned))
    return module.made;
  Partitioned out = *module.made;
  out.program = stage->program;
  return shared_stage(std::move(out));
}

Result<Answer> answer(HloText read, const PartitionCommandOptions& options, const Wishes& wishes,
                      const Hardware& hardware, PartitionOptions how, const Tell& tell) {
  how.progress = [&tell](double part) { tell("partitioning", part); };
  tell("propagating shardings", 0);
  TRY(Partitioned made, partition(read_stage(std::move(read.program)), how));
  Answer out;
  choose_algorithms(made, hardware);
  // As every door counts it: of the partitioned module.
  TRY(out.memory, compiled_memory(*made.program, hardware, wishes.compiler, how.stop));
  TRY(out.module, through_backend(shared_stage(std::move(made)), wishes.compiler.value_or(CompileAs::none),
                                  wishes.flags, hardware, how.stop));
  TRY(const auto proved, to_prove(out.module, options.stage));
  out.proof.report.check = ProofSize::off;
  if (wishes.check == CheckMode::off) return out;
  tell("proving", 0);
  TRY(out.proof,
      check_read_module({proved, read.cut, how}, {wishes.check, options.seed, options.threads}, how.stop));
  if (backend_pass(out.module.last) != nullptr && out.proof.report.check == ProofSize::shrunk)
    out.proof.report.warnings.emplace_back(
        "on smaller arrays the module was run as it was partitioned, without "
        "the backend's passes; --check full runs them");
  return out;
}

// All that an answer depends on.
std::string answer_key(const PartitionCommandOptions& o, const Hardware& hardware) {
  std::string out =
      fmt::format("partition {} {} {} {} {} {} {} {} {} {} {}", module_key(o), o.stage, o.devices.value_or(0),
                  o.dialect, o.propagate, o.windowed_einsum_mib.value_or(-1), o.unroll, o.bidirectional,
                  o.check, o.seed, hardware.name);
  for (const auto& [key, value] : o.asked) out += fmt::format(" {}={}{}", key, value, file_stamp(value));
  for (const std::string& flag : o.xla_flags) out += " " + flag;
  return out;
}

// Of the module as it was partitioned: those that were asked for, else those against full copies.
Result<std::optional<Fixes>> wanted_fixes(const Partitioned& made, const PartitionCommandOptions& options,
                                          const PartitionOptions& how, const Hardware& hardware) {
  if (!options.fixes && made.rematerializations.empty()) return std::optional<Fixes>();
  const Program& module = *first_stage(made).program;
  TRY(Fixes fixes,
      fixes_of(made, how, hardware, options.fixes ? fix_limits(module) : unasked_fix_limits(module)));
  return std::optional<Fixes>(std::move(fixes));
}

Result<int> run(const PartitionCommandOptions& options, std::stop_token stop) {
  TRY(const Wishes wishes, wishes_of(options));
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
    return answer(std::move(read), options, wishes, hardware, how, tell);
  });
  line.clear();
  if (!done.ok()) return done.error();
  const auto& [module, memory, proof] = **done;
  // What was computed is shown, whatever becomes of its file.
  TRY(const StagePtr stage, asked_stage(module.last, options.stage));
  const Result<void> saved =
      options.out.empty() ? Result<void>() : write_output(print_program(*stage->program), options.out);
  const bool tells = options.json || (options.out.empty() && options.stage.empty());
  if (!tells && options.out.empty()) TRY_VOID(print_text(print_program(*stage->program)));
  if (tells) {
    PartitionPage page{module, hardware, memory, proof, how.dialect, options.tiles};
    page.stage = options.stage.empty() ? nullptr : stage;
    if (options.instead) {
      TRY(page.instead, instead_of(with_plain_collectives(*module.made), hardware, how.stop));
    }
    TRY(page.fixes, wanted_fixes(*partitioned_stage(module.last), options, how, hardware));
    if (options.beside) {
      TRY(page.partitioners, by_partitioner(*module.made, how, hardware));
    }
    TRY_VOID(print_text(options.json ? partition_json(page) : partition_text(page)));
  }
  TRY_VOID(saved);
  const bool wrong = proof.report.checked && !proof.report.allclose;
  if (wrong && !tells) note(difference_text(proof.report));
  return wrong ? kExitWrongNumbers : kExitDone;
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
          "Go on with what XLA's backend for GPUs or TPUs makes of the module: reduce-scatters, combined, "
          "pipelined and asynchronous collectives, fusions, the order; xla-cpu: its memory alone (default: "
          "none)");
  command
      ->add_option("--xla-flag", options->xla_flags,
                   "A flag of XLA's GPU compiler, xla_gpu_enable_latency_hiding_scheduler=true; may be given "
                   "again and again; with --compile-as xla-gpu")
      ->type_name("NAME=VALUE")
      ->take_all();
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
          "(arrays that their shardings do not divide are larger), with --compile-as what a pass left: "
          "fusion, all-gather-combiner, …")
      ->type_name("propagated|resharded|collectives|padded|partitioned|PASS|backend");
  command->add_option("-o,--output,--out", options->out, "Write the partitioned module to this file")
      ->type_name(kOutputFile);
  command->add_option("--seed", options->seed, "Seed of the inputs (default: 0)");
  add_threads(*command, options->threads);
  add_quiet(*command, *options);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  return [options](std::stop_token stop) { return at_its_line(*options, run(*options, stop), stop); };
}

}  // namespace shardscope::inline cli
