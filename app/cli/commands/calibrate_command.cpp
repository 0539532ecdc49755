// SPDX-License-Identifier: Apache-2.0
// calibrate: a chip's numbers from measurements.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/on_ranks.h"
#include "app/cli/commands/this_machine.h"
#include "app/cli/options/backend_option.h"
#include "app/cli/options/common_options.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "app/cli/output/progress_line.h"
#include "engine/base/utc_now.h"
#include "engine/measure/calibrate.h"
#include "engine/measure/import/format.h"
#include "engine/measure/import/import_profile.h"
#include "engine/measure/measuring_program.h"
#include "engine/measure/trace_points.h"
#include "engine/report/calibration_report.h"
#include "engine/session/profile/profile_chip.h"
#include "engine/trace/measured_record.h"

namespace shardscope::inline cli {
namespace {

// What runs the measuring program: "python3 FILE.py --chip NAME --out points.csv".
std::string measuring_command(const std::string& with, const std::string& file, const std::string& chip) {
  return fmt::format("python3 {} --chip {} --out points.csv{}", file, chip,
                     with == "torch" ? " --log points.json" : "");
}

struct CalibrateOptions {
  std::string points, db, hardware, out, collective, script, with;
  double holdout = 0.5;
  uint64_t seed = 1;
  int threads = 0;
  bool json = false, quiet = false, this_machine = false;
};

// What is measured of a collective that its output does not name is `--collective`.
Result<void> name_collectives(const CalibrateOptions& options, MeasuredTrace& trace) {
  if (!options.collective.empty() && !collective_kind(options.collective))
    return invalid(fmt::format("'{}' is no collective", options.collective), "--collective",
                   "use all-reduce, all-gather, reduce-scatter, all-to-all or collective-permute");
  for (MeasuredOperation& operation : trace.operations) {
    if (operation.kind != MeasuredKind::collective || !operation.opcode.empty()) continue;
    if (options.collective.empty())
      return invalid(
          "the output does not say which collective was measured, and its two bandwidths fit several",
          options.points, "say which, as in --collective all-reduce");
    operation.opcode = options.collective;
  }
  return {};
}

// A chip of one's own may well be measured on what is built in.
void say_other_chip(const Profile& profile, const std::string& chip) {
  const ProfileChip measured = profile_chip(profile);
  const std::vector<std::string> shipped = hardware_preset_names();
  if (profile.chip.empty() || (!measured.guess && measured.hardware == chip) ||
      std::ranges::find(shipped, chip) == shipped.end())
    return;
  note(fmt::format("the points were measured on {}, and are fitted to {}: --hardware names another chip",
                   profile.chip, chip));
}

// A table of points, or a profile or the output of nccl-tests.
Result<std::vector<MeasuredPoint>> points_in(const CalibrateOptions& options, const std::string& chip) {
  const auto format = format_of(options.points, {});
  if (!format.ok() && format.error().kind == ErrorKind::io) return format.error();
  if (!format.ok() || *format == ProfileFormat::csv) return read_points(options.points);
  TRY(Profile profile, import_profile({options.points}, {}));
  if (!options.quiet) {
    for (const std::string& sentence : profile.trace.notes) note(sentence);
    say_other_chip(profile, chip);
  }
  TRY_VOID(name_collectives(options, profile.trace));
  return points_of(profile.trace, chip);
}

// The program that measures another machine, and how it is run.
Result<int> write_script(const CalibrateOptions& options, const std::string& chip) {
  if (options.with.empty())
    return invalid("it is not said what the program measures with", "--with",
                   "say --with torch or --with jax");
  TRY(const std::string_view text, measuring_program(options.with));
  TRY_VOID(write_output(text, options.script));
  if (options.script == "-") return kExitDone;
  const std::string command = measuring_command(options.with, options.script, chip);
  const std::string then = fmt::format("shardscope calibrate --points points.csv --hardware {}", chip);
  const nlohmann::ordered_json json{
      {"script", options.script}, {"with", options.with}, {"command", command}, {"then", then}};
  TRY_VOID(write_output(
      options.json ? json.dump(2) + "\n"
                   : fmt::format("written {}\nthere: {}\nhere:  {}\n", options.script, command, then),
      ""));
  return kExitDone;
}

// What is measured here is nothing that somebody hands over.
Result<void> check_this_machine(const CalibrateOptions& options) {
  const std::pair<const char*, const std::string&> others[] = {{"--points", options.points},
                                                               {"--db", options.db},
                                                               {"--script", options.script},
                                                               {"--with", options.with},
                                                               {"--collective", options.collective}};
  for (const auto& [name, value] : others)
    if (!value.empty())
      return invalid(fmt::format("both --this-machine and {}", name), "calibrate", "give one of them");
  return {};
}

// A file's, a workspace's, or those that are built in.
Result<std::vector<MeasuredPoint>> asked_points(const CalibrateOptions& options, const std::string& chip) {
  if (!options.points.empty() && !options.db.empty())
    return invalid("both --points and --db", "calibrate", "give one of them");
  if (!options.points.empty()) return points_in(options, chip);
  if (options.db.empty()) return published_points();
  TRY(const std::vector<MeasuredSummary> traces, list_measured(options.db));
  std::vector<MeasuredPoint> out;
  for (const MeasuredSummary& summary : traces) {
    TRY(const MeasuredTrace trace, load_measured(options.db, summary.id));
    std::vector<MeasuredPoint> points = points_of(trace, chip);
    std::move(points.begin(), points.end(), std::back_inserter(out));
  }
  if (out.empty())
    return invalid("no measured operation with its sizes", options.db,
                   "bring a profile in with measure import");
  return out;
}

constexpr int kRanks = 8;
constexpr const char* kThisMachine = "cpu-host";

// The same command, as mpirun starts it.
Result<int> again_on_ranks(const CalibrateOptions& options, const std::stop_token& stop) {
  if (keeps_output())
    return invalid("a session does not start ranks", "--this-machine", "call it on the command line");
  std::vector<std::string> words{"calibrate", "--this-machine", "--backend", "mpi"};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  add("--hardware", options.hardware);
  add("--output", options.out);
  add("--holdout", fmt::format("{}", options.holdout));
  add("--seed", std::to_string(options.seed));
  if (options.threads > 0) add("--threads", std::to_string(options.threads));
  if (options.json) words.emplace_back("--json");
  if (options.quiet) words.emplace_back("--quiet");
  return run_on_ranks(words, kRanks, stop);
}

// With how this machine's runs were predicted, where they were measured now.
std::string calibration_output(const CalibrateOptions& options, const Calibration& done,
                               const std::optional<FittedOrder>& order) {
  if (!options.json) return calibration_text(done) + (order ? order_text(*order) : "");
  const std::string text = calibration_json(done, options.out);
  if (!order) return text;
  auto out = nlohmann::ordered_json::parse(text);
  out["this_machine"] = order_json(*order);
  return out.dump(2) + "\n";
}

Result<Calibration> calibrate_this_machine(CalibrateRequest& request, const CalibrateExecution& execution,
                                           const std::stop_token& stop, std::optional<FittedOrder>& order) {
  const ThisMachine machine{*joined_ranks(), execution.progress, stop};
  TRY(request.preset, host_of_ranks(machine, request.preset));
  TRY(MeasuredRanks measured, measure_this_machine(machine, request.preset));
  request.points = std::move(measured.points);
  TRY(Calibration fitted, calibrate(request, execution, stop));
  TRY(const double ranks, fit_cores_shared(machine, fitted.after, measured.runs));
  fitted.after = with_cores_shared(std::move(fitted.after), ranks);
  TRY(order, judge_this_machine(machine, fitted.after));
  order->cores_shared = ranks;
  return fitted;
}

Result<int> run(const CalibrateOptions& options, std::stop_token stop) {
  if (options.hardware.empty() && !options.this_machine)
    return invalid("--hardware is required", "command line", "see shardscope calibrate --help");
  TRY_VOID(check_holdout(options.holdout));
  if (options.this_machine) {
    TRY_VOID(check_this_machine(options));
  }
  if (options.this_machine && joined_ranks() == nullptr) return again_on_ranks(options, stop);
  CalibrateRequest request;
  TRY(request.preset, find_hardware(options.hardware.empty() ? kThisMachine : options.hardware));
  if (!options.script.empty()) return write_script(options, request.preset.name);
  if (!options.this_machine) {
    TRY(request.points, asked_points(options, request.preset.name));
  }
  request.holdout = options.holdout;
  request.seed = options.seed;
  request.date = utc_now().substr(0, 10);
  CalibrateExecution execution;
  execution.threads = options.threads;
  const ProgressLine line(!options.quiet && !options.json);
  execution.progress = line.shower();
  std::optional<FittedOrder> order;
  const Result<Calibration> done = options.this_machine
                                       ? calibrate_this_machine(request, execution, stop, order)
                                       : calibrate(request, execution, stop);
  line.clear();
  if (!done.ok()) return done.error();
  // What was computed is shown, whatever becomes of its file.
  const Result<void> saved =
      options.out.empty() ? Result<void>() : write_output(hardware_toml(done->after), options.out);
  const std::string text = calibration_output(options, *done, order);
  // Written to stdout, the chip is all that stands there.
  if (options.out != "-") {
    TRY_VOID(print_text(text));
  }
  TRY_VOID(saved);
  return kExitDone;
}

}  // namespace

Command add_calibrate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "calibrate", "Fit a chip's numbers to measured times, and test them on held-out points");
  auto options = std::make_shared<CalibrateOptions>();
  command
      ->add_option(
          "--points", options->points,
          "Measurements (.csv: chip, devices, topology, op, m, k, n, bytes, dtype, measured_us), the "
          "output of nccl-tests or a profile; default: those that are built in")
      ->type_name(kInputFile);
  command
      ->add_option("--db", options->db,
                   "A workspace: the operations of its measured traces, as measured on that chip")
      ->type_name(kWorkspaceFile);
  command->add_option("--hardware", options->hardware,
                      fmt::format("The chip to start from; its points are used: {} or a file (.toml)",
                                  fmt::join(hardware_preset_names(), ", ")));
  command->add_flag("--this-machine", options->this_machine,
                    "Measure what 8 ranks of this machine take by MPI, and fit cpu-host to that");
  add_backend(*command);
  command
      ->add_option("--collective", options->collective,
                   "Which collective the output of nccl-tests is of, where it does not say so")
      ->type_name("TEXT");
  command
      ->add_option(
          "--script", options->script,
          "Write the program that measures another machine's devices into this file, and nothing else")
      ->type_name(kOutputFile);
  command
      ->add_option("--with", options->with, "What that program measures with: torch (one NVIDIA GPU) or jax")
      ->type_name("torch|jax");
  command->add_option("-o,--output", options->out, "Write the fitted chip (.toml)")->type_name(kOutputFile);
  command->add_option("--holdout", options->holdout,
                      "Share of the points that is held out, 0 to 0.9 (default: 0.5)");
  command->add_option("--seed", options->seed, "Which points are held out, and the bootstrap (default: 1)");
  add_threads(*command, options->threads);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  command->add_flag("--quiet", options->quiet, kQuietHelp);
  return [options](std::stop_token stop) { return run(*options, std::move(stop)); };
}

}  // namespace shardscope::inline cli
