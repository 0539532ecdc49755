// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/backend_option.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/options/report_options.h"
#include "app/cli/output/output.h"
#include "app/cli/output/pictures.h"
#include "app/cli/output/ranks_output.h"
#include "app/report/made_now.h"
#include "engine/base/text.h"
#include "engine/request/command_line.h"
#include "engine/session/session.h"

namespace shardscope::inline cli {
namespace {

struct RunOptions : ExperimentOptions {
  std::optional<std::string> strategy;
  std::optional<std::string> out, report;
  AudienceOption audience;
  RunLabel given;
  std::vector<std::string> tags;
};

// The experiment with this run as it is asked for, which a reopened workspace shows again.
void say_run(Experiment& experiment, const RunRequest& request) {
  const auto same = std::ranges::find(experiment.runs, request.strategy, &RunRequest::strategy);
  if (same == experiment.runs.end()) {
    experiment.runs.push_back(request);
  } else {
    *same = request;
  }
}

// The arrays' orientation is the strategy's; sizes may come from the arrays.
Result<UserArrays> arrays_for(const RunOptions& options, const Experiment& experiment,
                              const RunRequest& request) {
  if (!options.lhs && !options.rhs) return UserArrays{};
  TRY(const StoredOrientation stored, stored_orientation(experiment.mesh, request));
  return read_user_arrays(options, stored);
}

ReportTo report_to(const RunOptions& options, const RunPtr& run) {
  std::vector<std::string> words{"shardscope", "run"};
  for (std::string& word : typed_words(options)) words.push_back(std::move(word));
  if (options.strategy) words.insert(words.end(), {"--strategy", *options.strategy});
  words.insert(words.end(), {"--report", *options.report});
  options.audience.type_into(words);
  return {*options.report, "", shell_line(words), csv_command(options.db, {run}),
          options.audience.audience()};
}

// With what ranks measured, where they ran it.
Result<std::string> run_output(const RunOptions& options, const Run& run, bool is_recorded,
                               const std::stop_token& stop) {
  const Cluster* const ranks = joined_ranks();
  if (ranks == nullptr || ranks->log().empty()) return options.json ? run_json(run) : run_text(run);
  TRY(const RanksMeasured measured, measure_ranks(run, *ranks, is_recorded ? options.db : "", stop));
  if (!options.json) return run_text(run) + ranks_text(measured);
  auto out = nlohmann::ordered_json::parse(run_json(run));
  out["cluster"] = ranks_json(measured);
  return out.dump(2) + "\n";
}

Result<int> run(const RunOptions& options, std::stop_token stop) {
  if (options.report) {
    TRY_VOID(check_report(*options.report));
  }
  TRY(Experiment experiment, typed_experiment(options));
  TRY(RunRequest request, pick_run(options, options.strategy, experiment));
  TRY_VOID(lay_over_run(options, request));
  TRY(UserArrays arrays, arrays_for(options, experiment, request));
  TRY_VOID(fit_problem(options, arrays.sizes, experiment));
  TRY(ExecutionOptions execution, make_execution(options));
  if (options.out && !execution.numerics)
    return invalid("there is no result without numerics", "--out", "say --numerics on");
  execution.lhs = std::move(arrays.lhs);
  execution.rhs = std::move(arrays.rhs);
  execution.given = options.given;
  execution.given.tags = read_tags(join(options.tags, " "));
  say_run(experiment, request);
  Array result;
  const bool totals = !execution.numerics && !execution.workspace && !options.report;
  const Result<RunPtr> done =
      totals ? execute_for_totals(experiment, request, execution, stop)
             : execute(experiment, request, execution, stop, options.out ? &result : nullptr);
  std::vector<RunPtr> runs;
  if (done.ok()) runs.push_back(*done);
  const Result<void> recorded = finish_execution(execution, runs);
  if (!done.ok()) return done.error();
  // What was computed is shown, whatever becomes of its files.
  const Result<void> saved = options.out ? write_npy(*options.out, result) : Result<void>();
  const Run& finished = *runs.front();
  TRY(const std::string shown, run_output(options, finished, recorded.ok(), stop));
  TRY_VOID(print_text(shown));
  TRY_VOID(recorded);
  TRY_VOID(saved);
  if (options.report) {
    TRY(const auto written,
        write_report(Comparison{experiment.title, {*done}, {}}, report_to(options, *done), stop));
    if (!options.json) {
      TRY_VOID(print_text("\n" + written_words(written)));
    }
  }
  const bool wrong = finished.numerics.checked && !finished.numerics.allclose;
  return wrong ? kExitWrongNumbers : kExitDone;
}

}  // namespace

Command add_run_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("run", "Run one strategy: its numbers, its simulated time, its record");
  auto options = std::make_shared<RunOptions>();
  add_experiment_options(*command, *options);
  command->add_option("--strategy", options->strategy, "Strategy id or alias (see strategies)");
  command->add_option("--out", options->out, "Write Y[M,N] to an NPY file")->type_name(kOutputArray);
  command
      ->add_option("--report", options->report,
                   "Write a report of it: a file ending in .html, .pdf, .md, .tex, .csv or .json, or a "
                   "folder for all of them")
      ->type_name(kReportFile);
  options->audience.add_to(*command);
  command->add_option("--name", options->given.name, "Your name for the run, kept in its record");
  command->add_option("--tag", options->tags, "A word to find the run by; several: --tag a --tag b");
  command->add_option("--note", options->given.note, "A note on the run, kept in its record");
  return [options](std::stop_token stop) { return run(*options, std::move(stop)); };
}

}  // namespace shardscope::inline cli
