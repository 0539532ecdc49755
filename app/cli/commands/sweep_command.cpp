// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "app/cli/commands/commands.h"
#include "app/cli/options/backend_option.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/options/report_options.h"
#include "app/cli/output/output.h"
#include "app/cli/output/pictures.h"
#include "app/cli/output/progress_line.h"
#include "app/report/made_now.h"
#include "engine/base/text.h"
#include "engine/report/crossover_report.h"
#include "engine/request/command_line.h"
#include "engine/session/sweep_over.h"

namespace shardscope::inline cli {
namespace {

struct SweepOptions : ExperimentOptions {
  std::optional<std::string> strategies;
  std::optional<std::string> report;
  AudienceOption audience;
  std::vector<std::string> over;
  bool resume = false;
};

// --strategies over the preset's runs: named ones keep the preset's options.
Result<std::vector<RunRequest>> pick_requests(const SweepOptions& options, const Experiment& experiment) {
  std::vector<RunRequest> out;
  if (!options.strategies) {
    out = requests_of(experiment);
  } else if (*options.strategies == "all") {
    out = requests_of(Experiment{});
  } else {
    for (const std::string& part : split(*options.strategies, ',')) {
      TRY(const Strategy* wanted, find_strategy(trim(part)));
      out.push_back(run_of(experiment, *wanted));
    }
  }
  if (out.empty()) return invalid("no strategy named", "--strategies", "name some, or all");
  for (RunRequest& run : out) {
    TRY_VOID(lay_over_run(options, run));
  }
  return out;
}

// The preset with what was typed laid over it, and over each of its runs.
Result<Experiment> swept_experiment(const SweepOptions& options, const KnownSizes& sizes) {
  TRY(Experiment experiment, typed_experiment(options));
  TRY_VOID(fit_problem(options, sizes, experiment));
  TRY(experiment.runs, pick_requests(options, experiment));
  return experiment;
}

// Of a run that is ranked, or that was named: by --strategies or by the preset.
bool wrong_numbers(const SweepOptions& options, const Comparison& comparison) {
  const Result<Experiment> asked = typed_experiment(options);
  const bool named = options.strategies ? *options.strategies != "all" : asked.ok() && !asked->runs.empty();
  return std::ranges::any_of(comparison.runs, [&](const RunPtr& run) {
    return (named || run->kind == StrategyKind::matmul) && run->numerics.checked && !run->numerics.allclose;
  });
}

Result<std::vector<SweepAxis>> read_axes(const SweepOptions& options) {
  std::vector<SweepAxis> out;
  for (const std::string& text : options.over) {
    TRY(const std::vector<SweepAxis> axes, parse_sweep_axes(text));
    out.insert(out.end(), axes.begin(), axes.end());
  }
  return out;
}

// What is swept need not be said a second time: until a point puts its own in, its first value stands.
Result<Experiment> make_swept_experiment(SweepOptions options, const std::vector<SweepAxis>& axes) {
  KnownSizes sizes;
  for (const SweepAxis& axis : axes) {
    if (axis.name == "m") sizes.m = parse_int(axis.values[0]);
    if (axis.name == "k") sizes.k = parse_int(axis.values[0]);
    if (axis.name == "n") sizes.n = parse_int(axis.values[0]);
    if (axis.name == "mesh" && options.preset.empty() && !options.says("mesh"))
      options.fields["mesh"] = "row=1";
  }
  return swept_experiment(options, sizes);
}

// Where the report goes, and the command that makes it again.
ReportTo report_to(const SweepOptions& options, const std::vector<RunPtr>& runs) {
  std::vector<std::string> words{"shardscope", "sweep"};
  for (std::string& word : typed_words(options)) words.push_back(std::move(word));
  if (options.strategies) words.insert(words.end(), {"--strategies", *options.strategies});
  for (const std::string& over : options.over) words.insert(words.end(), {"--over", over});
  words.insert(words.end(), {"--report", *options.report});
  options.audience.type_into(words);
  return {*options.report, "", shell_line(words), runs.empty() ? "" : csv_command(options.db, runs),
          options.audience.audience()};
}

Result<int> run_over(const SweepOptions& options, std::stop_token stop) {
  if (options.report) {
    if (std::filesystem::path(*options.report).extension().empty())
      return invalid("got --report " + *options.report + ", expected a file, as in curves.html",
                     "sweep --over");
    TRY_VOID(check_report(*options.report));
  }
  if (!options.db.empty() || options.resume)
    return invalid("the points of a sweep over parameters are not recorded", "--db", "use --json");
  if (options.lhs || options.rhs)
    return invalid("arrays have one size", "sweep --over", "leave --lhs and --rhs out");
  TRY(const std::vector<SweepAxis> axes, read_axes(options));
  TRY(const Experiment experiment, make_swept_experiment(options, axes));
  TRY(const ExecutionOptions checked, make_execution(options));
  SweepOverExecution execution;
  execution.numerics = options.says("numerics") && checked.numerics;
  execution.threads = checked.threads;
  execution.sharing = shared_work();
  const ProgressLine line(!options.quiet && !options.json && !is_quiet_rank());
  execution.progress = line.shower();
  const Result<CrossoverTable> done = sweep_over(experiment, axes, execution, stop);
  line.clear();
  if (!done.ok()) return done.error();
  TRY_VOID(print_text(options.json ? crossover_json(*done) : crossover_text(*done)));
  if (options.report && !is_quiet_rank()) {
    TRY_VOID(write_report(*done, report_to(options, {}), stop));
  }
  if (!done->complete) return kExitCancelled;
  for (const SweepPoint& point : done->points) {
    for (const StrategyTime& time : point.ranking) {
      if (!time.allclose.value_or(true)) return kExitWrongNumbers;
    }
  }
  return kExitDone;
}

// What a sweep has told so far, for who cancels it.
class SoFar {
 public:
  explicit SoFar(ExecutionOptions& execution) {
    execution.timed = execution.finished = [this](const RunPtr& run) { put(run); };
    execution.withdrawn = [this](const RunPtr& run) { std::erase(told_.runs, run); };
    execution.skipped = [this](const SkippedRun& skipped) { told_.skipped.push_back(skipped); };
  }
  SoFar(const SoFar&) = delete;  // its address is given away
  SoFar& operator=(const SoFar&) = delete;

  // Instead of `done`, where that was cancelled with something to show.
  Result<Comparison> or_whole(Result<Comparison> done, const std::string& title) const {
    if (done.ok() || done.error().kind != ErrorKind::cancelled || told_.runs.empty()) return done;
    Comparison out = told_;
    out.title = title;
    out.complete = false;
    return out;
  }

 private:
  // A run comes with its time, and again with its numbers.
  void put(const RunPtr& run) {
    const auto before = std::ranges::find(told_.runs, run->asked, [](const RunPtr& r) { return r->asked; });
    if (before == told_.runs.end())
      told_.runs.push_back(run);
    else
      *before = run;
  }

  Comparison told_;
};

Result<int> run(const SweepOptions& options, std::stop_token stop) {
  if (!options.over.empty()) return run_over(options, std::move(stop));
  if (options.resume && options.db.empty())
    return invalid("there is no record to go on with", "--resume", "say which with --db");
  if (options.resume && (options.lhs || options.rhs))
    return invalid("a record does not say with which arrays its numbers were computed", "--resume",
                   "sweep again without --resume");
  if (options.report) {
    TRY_VOID(check_report(*options.report));
  }
  // A sweep takes X[M,K] and W[K,N] and stores them as each strategy needs.
  TRY(UserArrays arrays, read_user_arrays(options, StoredOrientation{}));
  TRY(const Experiment experiment, swept_experiment(options, arrays.sizes));
  TRY(ExecutionOptions execution, make_execution(options));
  execution.resume = options.resume;
  execution.lhs = std::move(arrays.lhs);
  execution.rhs = std::move(arrays.rhs);
  const SoFar so_far(execution);
  Result<Comparison> done = so_far.or_whole(sweep(experiment, execution, stop), experiment.title);
  std::vector<RunPtr> none;
  const Result<void> recorded = finish_execution(execution, done.ok() ? done->runs : none);
  if (!done.ok()) return done.error();
  TRY_VOID(print_text(options.json ? sweep_json(*done) : ranking_text(*done)));
  TRY_VOID(recorded);  // what was computed is shown, whatever becomes of the record
  if (!done->complete) return kExitCancelled;
  if (options.report) {
    TRY(const auto written, write_report(*done, report_to(options, done->runs), stop));
    if (!options.json) {
      TRY_VOID(print_text("\n" + written_words(written)));
    }
  }
  return wrong_numbers(options, *done) ? kExitWrongNumbers : kExitDone;
}

}  // namespace

Command add_sweep_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("sweep", "Run several strategies on one problem and rank them by simulated time");
  auto options = std::make_shared<SweepOptions>();
  add_experiment_options(*command, *options);
  command->add_option("--strategies", options->strategies,
                      "Ids separated by commas, or all (default: the preset's, or all)");
  command
      ->add_option("--report", options->report,
                   "Write a report: a file ending in .html, .pdf, .md, .tex, .csv or .json, or a folder for "
                   "all of them; "
                   "with --over a file: curves, crossovers, every point")
      ->type_name(kReportFile);
  options->audience.add_to(*command);
  command->add_flag(
      "--resume", options->resume,
      "Continue an interrupted sweep: runs in --db are not run again, those without numbers are checked");
  command->add_option("--over", options->over,
                      "Time every point of these values and show who wins where: n=1024..65536x2, "
                      "m=64..512+64, slices=1,2,4, mesh=2x4,4x2, … (repeatable; numbers only with --numerics "
                      "on)");
  return [options](std::stop_token stop) { return run(*options, std::move(stop)); };
}

}  // namespace shardscope::inline cli
