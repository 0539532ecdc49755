// SPDX-License-Identifier: Apache-2.0
// tune: the mesh shape and the strategies for a model's layers on a number of chips.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/commands/commands.h"
#include "app/cli/options/backend_option.h"
#include "app/cli/options/common_options.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "app/cli/output/progress_line.h"
#include "engine/report/tune_report.h"
#include "engine/request/fields.h"
#include "engine/session/session.h"
#include "engine/tune/model_file.h"
#include "engine/tune/timed_before.h"
#include "engine/tune/tune.h"

namespace shardscope::inline cli {
namespace {

constexpr int64_t kMostEventsKept = 1'000'000;  // of a product that is recorded

struct TuneOptions {
  std::string model, cost = name(TuneCost::simulate);
  std::optional<std::string> step;
  std::optional<std::string> hardware, place;
  int64_t chips = 0;
  std::string db;
  int threads = 0;
  bool resume = false;
  bool json = false, quiet = false;
};

template <class Word>
Result<Word> parse_word(const std::string& text, const char* option, Word first, Word second) {
  for (const Word word : {first, second}) {
    if (text == name(word)) return word;
  }
  return invalid(fmt::format("unknown {} '{}'", option + 2, text), option,
                 fmt::format("use {} or {}", name(first), name(second)));
}

Result<void> check_record(const TuneOptions& options, TuneCost cost) {
  if (options.resume && options.db.empty())
    return invalid("there is no record to go on with", "--resume", "say which with --db");
  if (!options.db.empty() && cost == TuneCost::meshslice)
    return invalid("the published costs time nothing that could be recorded", "--db", "leave it out");
  return {};
}

// The products of the best candidate as runs, those that are alike once.
Result<void> record_best(const TuneOptions& options, const TuneResult& result,
                         const std::shared_ptr<Workspace>& workspace, const std::stop_token& stop) {
  if (result.best < 0) return {};
  const TuneCandidate& best = result.candidates[static_cast<size_t>(result.best)];
  ExecutionOptions execution;
  execution.numerics = false;
  execution.most_events = kMostEventsKept;
  execution.threads = options.threads;
  execution.workspace = workspace;
  execution.resume = options.resume;
  for (size_t l = 0; l < best.layers.size(); ++l) {
    const auto same = [&](const TuneLayerChoice& other) {
      const TuneLayerChoice& own = best.layers[l];
      return other.problem == own.problem && other.strategy == own.strategy && other.options == own.options;
    };
    if (!std::none_of(best.layers.begin(), best.layers.begin() + std::ptrdiff_t(l), same)) continue;
    TRY_VOID(sweep(experiment_of(result, best, l), execution, stop));
  }
  return {};
}

Result<int> run(const TuneOptions& options, std::stop_token stop) {
  TuneRequest request;
  TRY(request.model, find_model(options.model));
  TRY(request.cost, parse_word(options.cost, "--cost", TuneCost::simulate, TuneCost::meshslice));
  if (options.step) {
    TRY(request.step, parse_word(*options.step, "--step", TuneStep::training, TuneStep::inference));
  }
  request.chips = options.chips;
  request.hardware = options.hardware;
  if (options.place) {
    Result<AxisPlacement> place = parse_placement(*options.place);
    if (!place.ok()) return placed(place.error(), "--place");
    request.place = *std::move(place);
  }
  TuneExecution execution;
  execution.threads = options.threads;
  execution.sharing = shared_work();
  TRY_VOID(check_record(options, request.cost));
  std::shared_ptr<Workspace> workspace;
  if (!options.db.empty() && !is_quiet_rank()) {
    TRY(workspace, Workspace::open(options.db));
    TRY(execution.before, TimedBefore::in(workspace, request, options.resume));
  }
  const ProgressLine line(!options.quiet && !options.json && !is_quiet_rank());
  execution.progress = line.shower();
  const Result<TuneResult> done = tune(request, execution, stop);
  Result<void> recorded;
  if (workspace && done.ok() && done->complete) recorded = record_best(options, *done, workspace, stop);
  if (workspace && recorded.ok()) recorded = workspace->wait();
  line.clear();
  if (!done.ok()) return done.error();
  TRY_VOID(print_text(options.json ? tune_json(*done) : tune_text(*done)));
  TRY_VOID(recorded);  // what was found is shown, whatever becomes of the record
  return done->complete ? kExitDone : kExitCancelled;
}

}  // namespace

Command add_tune_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "tune",
      "Choose a mesh shape, and per layer of a model a strategy and its slices, for a number of chips");
  auto options = std::make_shared<TuneOptions>();
  command
      ->add_option("--model", options->model,
                   fmt::format("{} or a model file (.toml)", fmt::join(model_preset_names(), ", ")))
      ->required();
  command->add_option("--chips", options->chips, "How many chips")->required();
  command->add_option(
      "--hardware", options->hardware,
      "Preset or file (default: tpu-v5e); the published costs are for the paper's TPUv4 only");
  command->add_option("--place", options->place, find_field("place")->help);
  command->add_option(
      "--cost", options->cost,
      "simulate: time what every strategy does on every mesh; meshslice: the published costs of a training "
      "step (default: simulate)");
  command->add_option(
      "--step", options->step,
      "training: forward, data and weight gradient of each layer, with the memory of gradients, "
      "optimiser and activations; inference: the forward products alone (default: training)");
  command
      ->add_option("--db", options->db,
                   "Record into this workspace what is timed, for --resume, and at the end the products of "
                   "the best candidate as runs without numbers, with up to a million events each")
      ->type_name(kWorkspaceFile);
  command->add_flag("--resume", options->resume,
                    "Continue an interrupted tuning: what is timed in --db is not timed again");
  add_backend(*command);
  add_threads(*command, options->threads);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  command->add_flag("--quiet", options->quiet, kQuietHelp);
  return [options](std::stop_token stop) { return run(*options, std::move(stop)); };
}

}  // namespace shardscope::inline cli
