// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/commands/commands.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/output/output.h"

namespace shardscope {
namespace {

struct RunOptions : ExperimentOptions {
  std::optional<std::string> strategy;
  std::optional<std::string> out;
};

// The one run that was meant: --strategy, or the only one of the preset.
Result<RunRequest> pick_request(const RunOptions& options, const Experiment& experiment) {
  if (options.strategy) {
    TRY(const Strategy* wanted, find_strategy(*options.strategy));
    for (const RunRequest& run : experiment.runs) {
      const Result<const Strategy*> of_run = find_strategy(run.strategy);
      if (of_run.ok() && *of_run == wanted) return run;
    }
    return RunRequest{std::string(wanted->id), {}, "", std::nullopt, std::nullopt};
  }
  if (experiment.runs.size() == 1) return experiment.runs.front();
  if (options.preset.empty())
    return invalid("the strategy is missing", "--strategy", "see shardscope strategies");
  std::vector<std::string> names;
  for (const RunRequest& run : requests_of(experiment)) names.push_back(run.strategy);
  return invalid(fmt::format("the preset has {} strategies", names.size()), "--strategy",
                 fmt::format("name one of {}", fmt::join(names, ", ")));
}

// The arrays' orientation is the strategy's, and the strategy may come from the preset; sizes may come from
// the arrays. So the preset is read first for its mesh and run alone.
Result<UserArrays> arrays_for(const RunOptions& options) {
  if (!options.lhs && !options.rhs) return UserArrays{};
  Experiment preset;
  if (!options.preset.empty()) {
    TRY(preset, find_experiment(options.preset));
  }
  TRY(const Mesh mesh, make_mesh(options, preset.mesh));
  TRY(RunRequest request, pick_request(options, preset));
  TRY(request.options, make_strategy_options(options, request.options));
  TRY(const StoredOrientation stored, stored_orientation(mesh, request));
  return read_user_arrays(options, stored);
}

Result<int> run(const RunOptions& options, std::stop_token stop) {
  if (options.strategy) {
    TRY_VOID(find_strategy(*options.strategy));
  }
  if (options.out && options.numerics == "off")
    return invalid("there is no result without numerics", "--out", "say --numerics on");
  TRY(UserArrays arrays, arrays_for(options));
  TRY(const Experiment experiment, make_experiment(options, arrays.sizes));
  TRY(RunRequest request, pick_request(options, experiment));
  TRY(request.options, make_strategy_options(options, request.options));
  TRY(ExecutionOptions execution, make_execution(options));
  execution.lhs = std::move(arrays.lhs);
  execution.rhs = std::move(arrays.rhs);
  Array result;
  const Result<RunPtr> done = execute(experiment, request, execution, stop, options.out ? &result : nullptr);
  const Result<void> recorded = finish_execution(execution);
  if (!done.ok()) return done.error();
  TRY_VOID(recorded);
  if (options.out) {
    TRY_VOID(write_npy(*options.out, result));
  }
  const Run& finished = **done;
  TRY_VOID(write_output(options.json ? run_json(finished) : run_text(finished), ""));
  const bool wrong =
      finished.numerics.checked && !finished.numerics.allclose && finished.kind != StrategyKind::broken;
  return wrong ? kExitWrongNumbers : kExitDone;
}

}  // namespace

Command add_run_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("run", "Run one strategy: its numbers, its simulated time, its record");
  auto options = std::make_shared<RunOptions>();
  add_experiment_options(*command, *options);
  command->add_option("--strategy", options->strategy, "Strategy id or alias (see strategies)");
  command->add_option("--out", options->out, "Write Y[M,N] to an NPY file");
  return [options](std::stop_token stop) { return run(*options, std::move(stop)); };
}

}  // namespace shardscope
