// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/options/common_options.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/options/kept.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "app/cli/output/partition_output.h"
#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/partition/propagate/propagation.h"
#include "engine/program/mlir/module_text.h"
#include "engine/program/module_form.h"
#include "engine/program/registered.h"
#include "engine/session/hlo_presets.h"
#include "engine/session/hlo_run.h"
#include "engine/session/module_preset.h"

namespace shardscope::inline cli {
namespace {

using Json = nlohmann::ordered_json;

enum class Reads { file, devices, partition };  // which options a subcommand has

Json counts_json(const Program& program) {
  std::map<std::string, int64_t> counts;
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions) ++counts[std::string(opcode_text(i))];
  return counts;
}

// What of the file was not read.
void say_left_out(const HloText& read, const HloOptions& options) {
  constexpr size_t kMostNamed = 8;
  std::vector<std::string> others = read.other_modules;
  if (others.size() > kMostNamed) {
    others.resize(kMostNamed);
    others.emplace_back("…");
  }
  if (options.module.empty() && !read.other_modules.empty())
    note(fmt::format("{} holds {} modules, this is {}; --module takes another: {}", options.file,
                     read.other_modules.size() + 1, read.program.name, join(others, ", ")));
  if (read.cut) note(read.cut->text());
}

// What a command reads: the module, and the operations that it calls.
struct ModuleFiles {
  PresetText module;
  std::vector<PresetText> operations;
};

Result<ModuleFiles> module_files(const HloOptions& options) {
  ModuleFiles out;
  if (is_module_preset(options.file)) {
    TRY(ModulePreset preset, read_module_preset(options.file));
    out = {std::move(preset.module), std::move(preset.operations)};
  } else {
    TRY(std::string text, find_module(options.file));
    out.module = {options.file, std::move(text)};
  }
  for (const std::string& file : options.operations) {
    TRY(std::string text, find_operations(file));
    out.operations.push_back({file, std::move(text)});
  }
  return out;
}

Result<HloText> parse_module_text(const ModuleFiles& files, const HloOptions& options,
                                  const std::stop_token& stop) {
  TRY(HloText read, read_module_bytes(files.module.text, files.module.name, options.module, stop));
  for (const PresetText& operation : files.operations) {
    TRY(const HloText library, read_module_bytes(operation.text, operation.name, {}, stop));
    TRY(read.program, with_operations(read.program, library.program));
  }
  return read;
}

Result<int> parse(const HloOptions& options, std::stop_token stop) {
  TRY(const Program module, read_module(options, stop));
  if (options.json) {
    TRY(const Hardware hardware, find_hardware(Experiment().hardware));
    const Json out = {{"name", module.name},
                      {"devices", module.mesh.device_count()},
                      {"mesh", module.mesh.text()},
                      {"partitioned", is_partitioned(module)},
                      {"collectives", Json::parse(own_collectives_json(module, hardware))},
                      {"computations", module.computations.size()},
                      {"instructions", module.instruction_count()},
                      {"entry", module.entry_computation().name},
                      {"opcodes", counts_json(module)}};
    TRY_VOID(print_text(out.dump(2) + "\n"));
    return kExitDone;
  }
  std::string out =
      fmt::format("{}: {}, {}, entry {}\n", module.name, counted(module.computations.size(), "computation"),
                  counted(module.instruction_count(), "instruction"), module.entry_computation().name);
  const Json counts = counts_json(module);
  for (const auto& [opcode, count] : counts.items())
    out += fmt::format("{:>8}  {}\n", count.get<int64_t>(), opcode);
  TRY_VOID(print_text(out));
  return kExitDone;
}

Result<int> print(const HloOptions& options, std::stop_token stop) {
  TRY(const ModuleFiles files, module_files(options));
  TRY(const HloText read, parse_module_text(files, options, stop));
  say_left_out(read, options);
  TRY(const ModuleText as_text, module_text(files.module.text, files.module.name, options.module, stop));
  const HloForm form = is_mlir(as_text.text) ? HloForm() : form_of(as_text.text);
  const std::string printed = print_program(read.program, form, stop);
  if (stop.stop_requested()) return cancelled();
  TRY_VOID(write_output(printed, ""));
  return kExitDone;
}

Result<int> report(const HloOptions& options, std::stop_token stop) {
  TRY(const Program module, read_module(options, stop));
  TRY(PartitionOptions how, partition_options(options));
  how.stop = std::move(stop);
  TRY(const Partitioned made, partition(module, how));
  std::string out = made.log.text();
  for (const std::string& note : made.notes) out += "note: " + note + "\n";
  TRY_VOID(print_text(out));
  return kExitDone;
}

Json step_json(const PropagatedModule& m, const PropagationStep& s) {
  return {{"instruction", instruction_of(m, s.to).name},
          {"leaf", s.to.leaf},
          {"dimension", s.to.dimension},
          {"sharding", m.shardings[s.sharding].text()},
          {"from", instruction_of(m, s.from).name},
          {"origin", instruction_of(m, s.origin).name},
          {"pass", s.pass == PropagationStep::Pass::forward ? "forward" : "backward"},
          {"level", s.level},
          {"reason", reason_of(m, s)}};
}

Result<int> propagate_shardings(const HloOptions& options, std::stop_token stop) {
  TRY(const Program module, read_module(options, stop));
  TRY(const PartitionOptions how, partition_options(options));
  PropagationOptions spread = propagation_options(how);
  spread.stop = std::move(stop);
  TRY(const PropagatedModule out, propagate(module, spread));
  if (options.json) {
    Json steps = Json::array();
    for (const PropagationStep& s : out.steps) steps.push_back(step_json(out, s));
    Json shardings = Json::object();
    for (const Instruction& i : out.program->entry_computation().instructions)
      if (i.sharding) shardings[i.name] = i.sharding->text();
    const Json json = {{"devices", out.devices},
                       {"propagation", name(out.by)},
                       {"notes", out.notes},
                       {"shardings", shardings},
                       {"steps", steps}};
    TRY_VOID(print_text(json.dump(2) + "\n"));
    return kExitDone;
  }
  std::string text = print_program(*out.program) + "\n// " + counted(out.devices, "device") + "\n";
  for (const std::string& note : out.notes) text += "// " + note + "\n";
  for (const PropagationStep& s : out.steps)
    text += fmt::format("// {}: {}\n", display_name(out, instruction_of(out, s.to).name), reason_of(out, s));
  TRY_VOID(print_text(text));
  return kExitDone;
}

Command add_reader(CLI::App& hlo, const char* name, const char* what,
                   Result<int> (*run)(const HloOptions&, std::stop_token), Reads reads, bool json) {
  CLI::App* command = hlo.add_subcommand(name, what);
  auto options = std::make_shared<HloOptions>();
  add_hlo_file(*command, *options);
  if (reads == Reads::devices) add_devices(*command, *options);
  if (reads == Reads::partition) {
    add_partition_options(*command, *options);
    add_partitioner(*command, *options);
  }
  if (reads != Reads::file) add_propagation(*command, *options);
  add_quiet(*command, *options);
  if (json) command->add_flag("--json", options->json, "One JSON object on stdout");
  return [options, run](std::stop_token stop) { return at_its_line(*options, run(*options, stop), stop); };
}

}  // namespace

void add_hlo_file(CLI::App& command, HloOptions& options) {
  command
      .add_option("file", options.file,
                  "A module: HLO (.hlo, .txt), StableHLO (.mlir), XLA's protos (.hlo.pb), a profile "
                  "(.xplane.pb), the name of a built-in one, or a .toml that names one with its operations "
                  "and options")
      ->type_name(kInputFile)
      ->required();
  command.add_option(
      "--module", options.module,
      "The name of one of several modules in the file (default: the first, of a profile the largest)");
  command
      .add_option(
          "--operation", options.operations,
          "Computations NAME and NAME.backward in a file of HLO: what custom-calls of target NAME do; "
          "sgd, momentum, adam and add_forward come with the program; repeatable")
      ->type_name(kInputFile);
}

void add_devices(CLI::App& command, HloOptions& options) {
  command.add_option("--devices", options.devices, "How many (default: as many as the shardings name)");
}

void add_partition_options(CLI::App& command, HloOptions& options) {
  add_devices(command, options);
  command.add_option("--dialect", options.dialect,
                     "Partitioner: current (today's open-source XLA) or tpu2022 (default: current)");
  command.add_option("--propagate", options.propagate,
                     "on: arrays without a sharding get one by propagation (default: on)");
  command.add_option("--windowed-einsum-mib", options.windowed_einsum_mib,
                     "Operands of at least this size are gathered by a loop of products and permutes");
  command.add_option("--unroll-windowed-einsum", options.unroll,
                     "on: two steps of such a loop in one round (default: off)");
  command.add_option(
      "--bidirectional-windowed-einsum", options.bidirectional,
      "on: shards travel both ways round if the number of devices is a multiple of four (default: off)");
}

void add_propagation(CLI::App& command, HloOptions& options) {
  for (const char* key : {"propagation", "results"})
    add_field_option(command, *find_field(key), options.asked);
}

void add_partitioner(CLI::App& command, HloOptions& options) {
  add_field_option(command, *find_field("partitioner"), options.asked);
}

void add_check(CLI::App& command, std::string& check) {
  command
      .add_option(
          "--check", check,
          "How much is run to prove it: full (or on), shrunk: the same module with smaller arrays, off; "
          "auto: full where that takes two seconds at most, else shrunk (default: auto)")
      ->type_name("auto|full|shrunk|off");
}

void add_quiet(CLI::App& command, HloOptions& options) {
  command.add_flag("--quiet", options.quiet, kQuietHelp);
}

Result<PartitionOptions> partition_options(const HloOptions& options) {
  ModuleRunOptions asked;
  asked.asked = options.asked;
  asked.partition.devices = options.devices;
  TRY(PartitionOptions out, asked_partition(asked));
  TRY(out.dialect, parse_spmd_dialect(options.dialect));
  TRY(out.propagate, on_or_off(options.propagate, "--propagate"));
  out.windowed_einsum_mib = options.windowed_einsum_mib;
  TRY(out.unroll_windowed_einsum, on_or_off(options.unroll, "--unroll-windowed-einsum"));
  TRY(out.bidirectional_windowed_einsum, on_or_off(options.bidirectional, "--bidirectional-windowed-einsum"));
  if (out.windowed_einsum_mib && !(*out.windowed_einsum_mib >= 0))
    return invalid(fmt::format("expected 0 or more MiB, got {}", *out.windowed_einsum_mib),
                   "--windowed-einsum-mib");
  return out;
}

std::string module_key(const HloOptions& options) {
  std::vector<std::string> files = options.operations;
  files.push_back(options.file);
  if (in_session() && is_module_preset(options.file)) {
    if (const auto named = module_files(options); named.ok()) {
      files.push_back(named->module.name);
      for (const PresetText& operation : named->operations) files.push_back(operation.name);
    }
  }
  std::string out = options.module;
  for (const std::string& file : files) out += fmt::format(" {} {}", file_stamp(file), file);
  return out;
}

Result<HloText> read_module_text(const HloOptions& options, const std::stop_token& stop) {
  const auto read = [&]() -> Result<HloText> {
    TRY(const ModuleFiles files, module_files(options));
    return parse_module_text(files, options, stop);
  };
  Result<HloText> out = HloText();
  if (in_session()) {
    TRY(const auto text, kept<HloText>("module " + module_key(options), read));
    out = *text;
  } else {
    out = read();
  }
  if (out.ok()) say_left_out(*out, options);
  return out;
}

Result<HloText> read_module_text(const std::string& file, const std::stop_token& stop) {
  HloOptions options;
  options.file = file;
  return read_module_text(options, stop);
}

// The reader of StableHLO knows where each instruction comes from.
Result<int> at_its_line(const HloOptions& options, Result<int> done, const std::stop_token& stop) {
  constexpr std::string_view kInstruction = "instruction ";
  if (done.ok() || !done.error().where.starts_with(kInstruction)) return done;
  const auto files = module_files(options);
  const auto read = files.ok() && is_mlir(files->module.text)
                        ? read_hlo_or_mlir(files->module.text, options.file, options.module, stop)
                        : Result<HloText>(done.error());
  if (!read.ok()) return done;
  const std::string name = done.error().where.substr(kInstruction.size());
  Error error = done.error();
  for (const Computation& c : read->program.computations)
    for (const Instruction& i : c.instructions)
      if (is_called(i, name) && i.line > 0)
        error.where = fmt::format("{}:{}: {}{}", options.file, i.line, kInstruction, display_name(i));
  return error;
}

Result<Program> read_module(const HloOptions& options, const std::stop_token& stop) {
  TRY(HloText read, read_module_text(options, stop));
  return std::move(read.program);
}

Result<Program> read_module(const std::string& file, const std::stop_token& stop) {
  TRY(HloText read, read_module_text(file, stop));
  return std::move(read.program);
}

Result<bool> on_or_off(const std::string& text, const char* option) {
  if (text != "on" && text != "off")
    return invalid(fmt::format("expected on or off, got '{}'", text), option);
  return text == "on";
}

Command add_hlo_command(CLI::App& app) {
  CLI::App* hlo = app.add_subcommand("hlo", "Read, partition, run and compare HLO modules");
  hlo->require_subcommand(1);
  auto commands = std::make_shared<std::map<std::string, Command>>();
  (*commands)["parse"] =
      add_reader(*hlo, "parse", "Read a module and say what is in it", parse, Reads::file, true);
  (*commands)["print"] = add_reader(
      *hlo, "print", "Read a module and print it as HLO, in the form it came in", print, Reads::file, false);
  (*commands)["propagate"] =
      add_reader(*hlo, "propagate", "Propagate a module's shardings to all its arrays, with reasons",
                 propagate_shardings, Reads::devices, true);
  (*commands)["partition"] = add_hlo_partition_command(*hlo);
  (*commands)["run"] = add_hlo_run_command(*hlo);
  (*commands)["code"] = add_hlo_code_command(*hlo);
  (*commands)["grad"] = add_hlo_grad_command(*hlo);
  (*commands)["report"] =
      add_reader(*hlo, "report", "What XLA's partitioner logs of the module: memory and reshardings", report,
                 Reads::partition, false);
  (*commands)["diff"] = add_hlo_diff_command(*hlo);
  (*commands)["ops"] = add_hlo_ops_command(*hlo);
  (*commands)["types"] = add_hlo_types_command(*hlo);
  return [hlo, commands](std::stop_token stop) {
    return commands->at(hlo->get_subcommands().front()->get_name())(std::move(stop));
  };
}

}  // namespace shardscope::inline cli
