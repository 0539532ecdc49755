// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/experiment_options.h"
#include "app/cli/output.h"
#include "app/cli/pictures.h"
#include "engine/base/text.h"

namespace shardscope {
namespace {

struct SweepOptions : ExperimentOptions {
  std::optional<std::string> strategies;
  std::optional<std::string> report;
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
      const auto of_preset =
          std::find_if(experiment.runs.begin(), experiment.runs.end(), [&](const RunRequest& run) {
            const Result<const Strategy*> named = find_strategy(run.strategy);
            return named.ok() && *named == wanted;
          });
      if (of_preset != experiment.runs.end()) {
        out.push_back(*of_preset);
      } else {
        out.push_back({std::string(wanted->id), {}, "", std::nullopt, std::nullopt});
      }
    }
  }
  if (out.empty()) return invalid("no strategy named", "--strategies", "name some, or all");
  for (RunRequest& run : out) {
    TRY(run.options, make_strategy_options(options, run.options));
  }
  return out;
}

bool wrong_numbers(const Comparison& comparison) {
  return std::any_of(comparison.runs.begin(), comparison.runs.end(), [](const RunPtr& run) {
    return run->kind != StrategyKind::broken && run->numerics.checked && !run->numerics.allclose;
  });
}

Result<int> run(const SweepOptions& options, std::stop_token stop) {
  // A sweep takes X[M,K] and W[K,N] and stores them as each strategy needs.
  TRY(UserArrays arrays, read_user_arrays(options, StoredOrientation{}));
  TRY(Experiment experiment, make_experiment(options, arrays.sizes));
  TRY(experiment.runs, pick_requests(options, experiment));
  TRY(ExecutionOptions execution, make_execution(options));
  execution.lhs = std::move(arrays.lhs);
  execution.rhs = std::move(arrays.rhs);
  const Result<Comparison> done = sweep(experiment, execution, stop);
  const Result<void> recorded = finish_execution(execution);
  if (!done.ok()) return done.error();
  TRY_VOID(recorded);
  TRY_VOID(write_output(options.json ? sweep_json(*done) : ranking_text(*done), ""));
  if (options.report) {
    TRY(const std::string written, write_report_folder(*done, *options.report));
    if (!options.json) {
      TRY_VOID(write_output("\n" + written, ""));
    }
  }
  return wrong_numbers(*done) ? kExitWrongNumbers : kExitDone;
}

}  // namespace

Command add_sweep_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("sweep", "Run several strategies on one problem and rank them by simulated time");
  auto options = std::make_shared<SweepOptions>();
  add_experiment_options(*command, *options);
  command->add_option("--strategies", options->strategies,
                      "Ids separated by commas, or all (default: the preset's, or all)");
  command->add_option("--report", options->report,
                      "Write report.html, report.md, runs.csv and pictures into this folder");
  return [options](std::stop_token stop) { return run(*options, std::move(stop)); };
}

}  // namespace shardscope
