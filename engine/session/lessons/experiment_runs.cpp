// SPDX-License-Identifier: Apache-2.0
#include "engine/session/lessons/experiment_runs.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/program/module_form.h"
#include "engine/report/ranking.h"
#include "engine/session/hlo_presets.h"
#include "engine/session/hlo_run.h"

namespace shardscope {
namespace {

// Of a built-in module, or a file.
Result<std::string> module_text(const std::string& name) {
  for (const HloPreset& preset : hlo_presets())
    if (preset.name == name) return std::string(preset.text);
  return read_file(name);
}

Result<HloText> read_module(const std::string& name) {
  TRY(std::string text, module_text(name));
  for (const HloPreset& preset : hlo_presets())
    if (preset.name == name) return read_hlo(text, name + ".hlo");
  return read_module_bytes(std::move(text), name);
}

// "wang.os", and of a strategy's second run "wang.os#2".
std::string numbered(const std::string& strategy, int64_t place) {
  return place == 1 ? strategy : fmt::format("{}#{}", strategy, place);
}

// Every run of an experiment under its own name: the second one of a strategy as "wang.os#2".
std::vector<std::pair<std::string, RunRequest>> named_requests(const Experiment& experiment) {
  std::vector<std::pair<std::string, RunRequest>> out;
  std::map<std::string, int64_t> met;
  for (RunRequest& request : requests_of(experiment)) {
    std::string name = numbered(request.strategy, ++met[request.strategy]);
    out.emplace_back(std::move(name), std::move(request));
  }
  return out;
}

}  // namespace

Result<Experiment> experiment_of(const LessonExperiment& experiment) {
  if (!experiment.module.empty())
    return invalid(fmt::format("'{}' is a module, no experiment", experiment.name));
  if (!experiment.kernels.empty())
    return invalid(fmt::format("'{}' has kernels, it is not an experiment", experiment.name));
  if (experiment.own) return *experiment.own;
  return experiment.preset.empty() ? Experiment() : find_experiment(experiment.preset);
}

Result<LessonExperiment> changed_to(const LessonExperiment& from, const Experiment& to) {
  TRY(const Experiment before, experiment_of(from));
  const auto old_runs = named_requests(before), new_runs = named_requests(to);
  if (old_runs.size() != new_runs.size())
    return invalid(fmt::format("{} runs, the lesson's experiment has {}", new_runs.size(), old_runs.size()));
  LessonExperiment out;
  out.name = from.name;
  out.own = to;
  std::vector<std::string> written = from.runs;
  if (written.empty())
    for (const auto& [name, request] : old_runs) written.push_back(name);
  for (const std::string& each : written) {
    WrittenName run = written_name(each);
    std::string_view of = run.of;
    if (of.ends_with("#1")) of.remove_suffix(2);
    for (size_t k = 0; k < old_runs.size(); ++k)
      if (old_runs[k].first == of) run.of = new_runs[k].first;
    out.runs.push_back(run.name + " = " + run.of);
  }
  return out;
}

ExperimentRuns::ExperimentRuns(Experiment experiment, bool stories, std::stop_token stop)
    : experiment_(std::move(experiment)), stories_(stories), stop_(std::move(stop)) {
  for (auto& [name, request] : named_requests(experiment_))
    runs_.push_back({std::move(name), std::move(request)});
}

Result<std::unique_ptr<ExperimentRuns>> ExperimentRuns::of(const LessonExperiment& experiment,
                                                           std::stop_token stop) {
  Experiment named;
  if (experiment.module.empty()) {
    TRY(named, experiment_of(experiment));
  }
  auto out = std::make_unique<ExperimentRuns>(std::move(named), true, std::move(stop));
  if (!experiment.module.empty()) {
    out->module_ = experiment.module;
    out->runs_ = {{experiment.runs.empty() ? "module" : experiment.runs.front(), {}}};
    return out;
  }
  TRY_VOID(out->choose(experiment.runs));
  return out;
}

Result<void> ExperimentRuns::choose(const std::vector<std::string>& runs) {
  if (runs.empty()) return {};
  std::vector<ExperimentRun> chosen;
  for (const std::string& written : runs) {
    WrittenName run = written_name(written);
    TRY(const size_t place, place_of(run.of));
    chosen.push_back({std::move(run.name), runs_[place].request});
  }
  runs_ = std::move(chosen);
  return {};
}

FactNames ExperimentRuns::names() const {
  FactNames out;
  for (const ExperimentRun& run : runs_) out.push_back(run.name);
  return out;
}

Result<size_t> ExperimentRuns::place_of(std::string_view name) const {
  if (name.ends_with("#1")) name.remove_suffix(2);
  const auto found = std::ranges::find(runs_, name, &ExperimentRun::name);
  if (found != runs_.end()) return static_cast<size_t>(found - runs_.begin());
  const std::string strategy(name.substr(0, name.find('#')));
  const auto runs = std::ranges::count_if(runs_, [&](const ExperimentRun& a) {
    return a.name == strategy || a.name.starts_with(strategy + "#");
  });
  if (runs > 0)
    return invalid(fmt::format("'{}' has {} runs; there is no '{}'", strategy, runs, name), "",
                   "name a run of the experiment");
  const auto near = nearest(std::string(name), names());
  return invalid(fmt::format("no run of '{}'", name), "",
                 near ? fmt::format("did you mean {}?", *near) : "name a run of the experiment");
}

Result<RunPtr> ExperimentRuns::execute_run(const RunRequest& request, bool numbers) const {
  ExecutionOptions options;
  options.numerics = numbers;
  if (!stories_) options.most_events = 1;
  return execute(experiment_, request, options, stop_);
}

Result<RunPtr> ExperimentRuns::execute_own_module() const {
  TRY(const HloText read, read_module(module_));
  ModuleRunOptions options;
  options.check = CheckMode::off;
  TRY(const ModuleRun made, execute_module(read.program, options, stop_));
  return made.run;
}

void ExperimentRuns::watch(std::stop_token stop, const Started& started) {
  stop_ = std::move(stop);
  started_ = started;
}

Result<const NamedRun*> ExperimentRuns::find(std::string_view name, bool numbers) {
  TRY(const size_t place, place_of(name));
  const auto known = known_.find(place);
  if (known != known_.end() && (!numbers || known->second.run->numerics.checked)) return &known->second;
  NamedRun out;
  out.name = runs_[place].name;
  if (started_) started_(out.name);
  TRY(out.run, module_.empty() ? execute_run(runs_[place].request, numbers) : execute_own_module());
  if (stories_) {
    auto story = tell(out.run->program, out.run->timeline, stop_);
    if (story.ok()) {
      out.story = std::make_shared<const Story>(*std::move(story));
    } else {
      out.untold = story.error().text();
    }
  }
  return &known_.insert_or_assign(place, std::move(out)).first->second;
}

// Without what stands above the module.
Result<std::string> ExperimentRuns::source() const {
  if (module_.empty()) return FactRuns::source();
  TRY(std::string text, module_text(module_));
  const size_t begin = text.find("HloModule");
  return begin == std::string::npos ? text : text.substr(begin);
}

Result<std::string> ExperimentRuns::winner() {
  std::vector<RunSummary> summaries;
  for (const ExperimentRun& run : runs_) {
    TRY(const NamedRun* found, find(run.name, false));
    summaries.push_back(summary_of(*found->run));
  }
  const std::vector<Rank> ranking = rank(summaries);
  if (ranking.empty() || !ranking.front().ranked) return invalid("none of these runs is ranked");
  return runs_[ranking.front().place].name;
}

}  // namespace shardscope
