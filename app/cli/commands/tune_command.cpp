// SPDX-License-Identifier: Apache-2.0
// tune: the mesh shape and the strategies for a model's layers on a number of chips.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/commands/commands.h"
#include "app/cli/output/output.h"
#include "app/cli/output/progress_line.h"
#include "engine/report/tune_report.h"
#include "engine/tune/model_file.h"
#include "engine/tune/tune.h"

namespace shardscope {
namespace {

struct TuneOptions {
  std::string model, cost = name(TuneCost::simulate);
  std::optional<std::string> step;
  std::optional<std::string> hardware;
  int64_t chips = 0;
  int threads = 0;
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

Result<int> run(const TuneOptions& options, std::stop_token stop) {
  TuneRequest request;
  TRY(request.model, find_model(options.model));
  TRY(request.cost, parse_word(options.cost, "--cost", TuneCost::simulate, TuneCost::meshslice));
  if (options.step) {
    TRY(request.step, parse_word(*options.step, "--step", TuneStep::training, TuneStep::inference));
  }
  request.chips = options.chips;
  request.hardware = options.hardware;
  TuneExecution execution;
  execution.threads = options.threads;
  const ProgressLine line(!options.quiet && !options.json);
  execution.progress = line.shower();
  const Result<TuneResult> done = tune(request, execution, stop);
  line.clear();
  if (!done.ok()) return done.error();
  TRY_VOID(write_output(options.json ? tune_json(*done) : tune_text(*done), ""));
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
  command->add_option("--hardware", options->hardware,
                      "Preset or file (default tpu-v5e); the published costs know the paper's TPUv4 alone");
  command->add_option(
      "--cost", options->cost,
      "simulate: time what every strategy does on every mesh; meshslice: the published costs of a training "
      "step (default simulate)");
  command->add_option(
      "--step", options->step,
      "training: forward, data and weight gradient of each layer, with the memory of gradients, "
      "optimiser and activations; inference: the forward products alone (default training)");
  command->add_option("--threads", options->threads, "Threads (default: all)")->check(CLI::Range(1, 1024));
  command->add_flag("--json", options->json, "One JSON object on stdout");
  command->add_flag("--quiet", options->quiet, "No progress on stderr");
  return [options](std::stop_token stop) { return run(*options, std::move(stop)); };
}

}  // namespace shardscope
