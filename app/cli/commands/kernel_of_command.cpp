// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/kernel_of_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/options/record_options.h"
#include "app/cli/output/kernel_output.h"
#include "app/cli/output/output.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/collectives/opcode_kind.h"
#include "engine/kernels/time/stand_in.h"
#include "engine/report/table.h"
#include "engine/session/hlo_run.h"

namespace shardscope::inline cli {
namespace {

struct KernelOfOptions {
  std::string file, db, instruction;
  std::optional<int64_t> run;
  std::optional<std::string> hardware;
  bool json = false;
};

// What is opened, and the chip it is timed on.
struct Opened {
  Program program;
  Hardware hardware;
};

Result<Opened> open(const KernelOfOptions& o, const std::stop_token& stop) {
  if (o.file.empty() == o.db.empty() || o.db.empty() == o.run.has_value())
    return invalid("expected a module's file, or --db and --run", "kernel of");
  Opened out;
  if (o.run) {
    TRY(const std::vector<RunPtr> runs, load_runs(o.db, {*o.run}));
    out = {runs.front()->program, runs.front()->hardware};
  } else {
    TRY(out.program, read_module(o.file, stop));
    if (!is_partitioned(out.program))
      return invalid("the module is not partitioned", o.file, "run shardscope hlo partition first");
  }
  if (o.hardware || !o.run) {
    TRY(out.hardware, find_hardware(o.hardware.value_or("tpu-v5e")));
  }
  return out;
}

// Instructions of the entry whose kernel, or whose lack of one, is the same.
struct Row {
  std::vector<std::string> instructions;
  std::string opcode;
  std::optional<kernels::StandIn> kernel;
  std::optional<KernelTime> time;
  std::string why;  // there is no kernel, or no time
};

void add_row(std::vector<Row>& rows, Row row) {
  const auto same = std::find_if(rows.begin(), rows.end(), [&](const Row& known) {
    return known.kernel == row.kernel && known.why == row.why && known.opcode == row.opcode;
  });
  if (same == rows.end()) {
    rows.push_back(std::move(row));
  } else {
    same->instructions.push_back(row.instructions.front());
  }
}

Result<std::vector<Row>> rows_of(const Opened& opened, const std::string& wanted,
                                 const std::stop_token& stop) {
  std::vector<Row> rows;
  std::vector<std::string> names;
  const Computation& entry = opened.program.entry_computation();
  for (size_t n = 0; n < entry.instructions.size(); ++n) {
    if (stop.stop_requested()) return cancelled();
    const Instruction& i = entry.instructions[n];
    names.push_back(i.name);
    const bool asked = !wanted.empty() && is_called(i, wanted);
    if (!wanted.empty() && !asked) continue;
    if (!asked && i.opcode != Opcode::dot && !collective_kind(i)) continue;
    Row row;
    row.instructions = {i.name};
    row.opcode = std::string(opcode_text(i.opcode));
    const Result<kernels::StandIn> kernel =
        kernels::stand_in(opened.program, InstructionId(static_cast<int64_t>(n)));
    if (!kernel.ok()) {
      row.why = kernel.error().what;
    } else {
      row.kernel = *kernel;
      const Result<KernelTime> time = kernels::time_of(*kernel, opened.hardware);
      if (time.ok()) row.time = *time;
      if (!time.ok()) row.why = time.error().what;
    }
    add_row(rows, std::move(row));
  }
  if (rows.empty() && !wanted.empty()) {
    const auto near = nearest(wanted, names);
    return invalid(
        fmt::format("the program has no instruction '{}'", wanted), "kernel of",
        near ? fmt::format("did you mean {}", *near) : std::string("leave it out to see them all"));
  }
  return rows;
}

// How to run the kernel by itself.
std::string command_of(const kernels::StandIn& kernel) {
  const kernels::KernelOptions& o = kernel.options;
  std::string out = fmt::format("shardscope kernel run {} --dtype {}", kernel.kernel, name(o.dtype));
  if (o.mesh.rank() > 0) out += fmt::format(" --ring {}", o.mesh.device_count());
  for (const auto& [option, value] :
       {std::pair{"--rows", o.rows}, std::pair{"--cols", o.cols}, std::pair{"--m", o.m},
        std::pair{"--k", o.k}, std::pair{"--n", o.n}, std::pair{"--bm", o.bm}, std::pair{"--bk", o.bk},
        std::pair{"--bn", o.bn}}) {
    if (value) out += fmt::format(" {} {}", option, *value);
  }
  return out;
}

std::string rows_text(const std::vector<Row>& rows) {
  TextTable table;
  table.header = {"instruction", "count", "opcode", "kernel", "time", "bound by"};
  table.right_aligned = {false, true, false, false, true, false};
  std::string commands, without;
  for (const Row& row : rows) {
    const std::string count = group_digits(static_cast<int64_t>(row.instructions.size()));
    if (row.time) {
      table.rows.push_back({row.instructions.front(), count, row.opcode, row.kernel->kernel,
                            format_picoseconds(row.time->total), row.time->roofline.bound});
      commands += command_of(*row.kernel) + "\n";
    } else {
      without += fmt::format("{} × {} ({}): {}{}\n", count, row.opcode, row.instructions.front(),
                             row.kernel ? row.kernel->kernel + ": " : "", row.why);
    }
  }
  std::string out;
  if (!table.rows.empty()) out += plain_table(table) + "\n" + commands;
  if (!without.empty()) out += "\nno kernel:\n" + without;
  return out.empty() ? "the program has no product and no collective\n" : out;
}

std::string rows_json(const std::vector<Row>& rows) {
  using OrderedJson = nlohmann::ordered_json;
  OrderedJson kernels = OrderedJson::array(), without = OrderedJson::array();
  for (const Row& row : rows) {
    OrderedJson one = {{"instructions", row.instructions}, {"opcode", row.opcode}};
    one["kernel"] = row.kernel ? OrderedJson(row.kernel->kernel) : OrderedJson();
    if (row.time) {
      one["devices"] = row.kernel->options.mesh.device_count();
      one["time_s"] = to_seconds(row.time->total);
      one["bound"] = row.time->roofline.bound;
      one["command"] = command_of(*row.kernel);
      kernels.push_back(std::move(one));
    } else {
      one["reason"] = row.why;
      without.push_back(std::move(one));
    }
  }
  return OrderedJson{{"kernels", kernels}, {"without", without}}.dump(2) + "\n";
}

Result<int> run(const KernelOfOptions& options, const std::stop_token& stop) {
  TRY(const Opened opened, open(options, stop));
  TRY(const std::vector<Row> rows, rows_of(opened, options.instruction, stop));
  if (!options.instruction.empty() && !rows.front().time)
    return invalid(rows.front().why, rows.front().instructions.front());
  TRY_VOID(print_text(options.json ? rows_json(rows) : rows_text(rows)));
  return kExitDone;
}

}  // namespace

Command add_kernel_of_command(CLI::App& kernel) {
  CLI::App* command = kernel.add_subcommand(
      "of", "Show the kernels of the products and collectives of a run or a partitioned module");
  auto o = std::make_shared<KernelOfOptions>();
  command->add_option("file", o->file, "A partitioned module (.hlo)")->type_name(kInputFile);
  command->add_option("--db", o->db, "Instead of a file: a workspace")->type_name(kWorkspaceFile);
  command->add_option("--run", o->run, "With --db: the run's number");
  command->add_option("--instruction", o->instruction, "This instruction alone (default: all)");
  command->add_option("--hardware", o->hardware, "Preset or file (default: the run's, or tpu-v5e)");
  command->add_flag("--json", o->json, "One JSON object on stdout");
  return [o](const std::stop_token& stop) { return run(*o, stop); };
}

}  // namespace shardscope::inline cli
