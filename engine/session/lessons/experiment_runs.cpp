// SPDX-License-Identifier: Apache-2.0
#include "engine/session/lessons/experiment_runs.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/report/ranking.h"
#include "engine/session/hlo_run.h"
#include "engine/session/lessons/lesson_module.h"

namespace shardscope::inline session {
namespace {

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
    out->module_ = experiment;
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
    return invalid(fmt::format("'{}' has {}; there is no '{}'", strategy, counted(runs, "run"), name), "",
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

Result<RunPtr> ExperimentRuns::execute_own_module() {
  TRY(const Program read, read_lesson_module(module_));
  ModuleRunOptions options;
  options.check = CheckMode::off;
  options.partition.propagate = true;
  TRY(ModuleRun made, execute_module(read, options, stop_));
  stages_ = std::move(made.stages);
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
  TRY(out.run, module_.module.empty() ? execute_run(runs_[place].request, numbers) : execute_own_module());
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

Result<std::string> ExperimentRuns::source() const {
  return module_.module.empty() ? FactRuns::source() : lesson_module_text(module_);
}

Result<std::string> ExperimentRuns::sharding_of(std::string_view parameter) const {
  if (module_.module.empty()) return FactRuns::sharding_of(parameter);
  TRY(const auto specs, parameter_specs(module_));
  FactNames names;
  for (const ParameterSpec& each : specs) {
    if (each.parameter == parameter) return each.spec;
    names.push_back(each.parameter);
  }
  return invalid(fmt::format("the module has no parameter '{}'", parameter), "", "use " + join(names, ", "));
}

Result<std::string> ExperimentRuns::listing(std::string_view stage) {
  if (module_.module.empty()) return FactRuns::listing(stage);
  TRY(const NamedRun* run, find(runs_.front().name, false));
  if (stage == "read") {
    TRY(const Program read, read_lesson_module(module_));
    return module_listing(read);
  }
  if (stage == "fused") return module_listing(run->run->program, false);
  if (stage == "partitioned") {
    const StagePtr partitioned = stage_of(stages_, StageKind::partitioned);
    return module_listing(partitioned == nullptr ? run->run->program : *partitioned->program, false);
  }
  if (stage != "propagated")
    return invalid(fmt::format("no stage '{}'", stage), "", "use read, propagated, partitioned or fused");
  const StagePtr propagated = stage_of(stages_, StageKind::propagated);
  if (propagated == nullptr) return invalid("its shardings were not propagated");
  return module_listing(*propagated->program);
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

}  // namespace shardscope::inline session
