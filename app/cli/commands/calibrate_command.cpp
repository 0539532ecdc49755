// SPDX-License-Identifier: Apache-2.0
// calibrate: a chip's numbers from measurements.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/commands/commands.h"
#include "app/cli/options/common_options.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "app/cli/output/progress_line.h"
#include "engine/base/utc_now.h"
#include "engine/measure/calibrate.h"
#include "engine/measure/trace_points.h"
#include "engine/report/calibration_report.h"
#include "engine/trace/measured_record.h"

namespace shardscope {
namespace {

struct CalibrateOptions {
  std::string points, db, hardware, out;
  double holdout = 0.5;
  uint64_t seed = 1;
  int threads = 0;
  bool json = false, quiet = false;
};

// A file's, a workspace's, or those that are built in.
Result<std::vector<MeasuredPoint>> asked_points(const CalibrateOptions& options, const std::string& chip) {
  if (!options.points.empty() && !options.db.empty())
    return invalid("both --points and --db", "calibrate", "give one of them");
  if (!options.points.empty()) return read_points(options.points);
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

Result<int> run(const CalibrateOptions& options, std::stop_token stop) {
  CalibrateRequest request;
  TRY(request.preset, find_hardware(options.hardware));
  TRY(request.points, asked_points(options, request.preset.name));
  request.holdout = options.holdout;
  request.seed = options.seed;
  request.date = utc_now().substr(0, 10);
  CalibrateExecution execution;
  execution.threads = options.threads;
  const ProgressLine line(!options.quiet && !options.json);
  execution.progress = line.shower();
  const Result<Calibration> done = calibrate(request, execution, stop);
  line.clear();
  if (!done.ok()) return done.error();
  // What was computed is shown, whatever becomes of its file.
  const Result<void> saved =
      options.out.empty() ? Result<void>() : write_output(hardware_toml(done->after), options.out);
  const std::string text = options.json ? calibration_json(*done, options.out) : calibration_text(*done);
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
      ->add_option("--points", options->points,
                   "Measurements (.csv: chip, devices, topology, op, m, k, n, bytes, dtype, measured_us); "
                   "default: those that are built in")
      ->type_name(kInputFile);
  command
      ->add_option("--db", options->db,
                   "A workspace: the operations of its measured traces, as measured on that chip")
      ->type_name(kWorkspaceFile);
  command
      ->add_option("--hardware", options->hardware,
                   fmt::format("The chip to start from; its points are used: {} or a file (.toml)",
                               fmt::join(hardware_preset_names(), ", ")))
      ->required();
  command->add_option("-o,--output", options->out, "Write the fitted chip (.toml)")->type_name(kOutputFile);
  command->add_option("--holdout", options->holdout,
                      "Share of the points that is held out, 0 to 0.9 (default: 0.5)");
  command->add_option("--seed", options->seed, "Which points are held out, and the bootstrap (default: 1)");
  command->add_option("--threads", options->threads, "Threads (default: all)")->check(CLI::Range(1, 1024));
  command->add_flag("--json", options->json, "One JSON object on stdout");
  command->add_flag("--quiet", options->quiet, kQuietHelp);
  return [options](std::stop_token stop) { return run(*options, std::move(stop)); };
}

}  // namespace shardscope
