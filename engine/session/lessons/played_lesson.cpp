// SPDX-License-Identifier: Apache-2.0
#include "engine/session/lessons/played_lesson.h"

#include <algorithm>

#include "engine/session/lessons/kernel_trials.h"

namespace shardscope::inline session {
namespace {

constexpr size_t kMostKept = 12;

Result<std::unique_ptr<FactRuns>> runs_of(const LessonExperiment& experiment, const std::stop_token& stop) {
  if (!experiment.kernels.empty()) {
    TRY(auto trials, KernelTrials::of(experiment, stop));
    return std::unique_ptr<FactRuns>(std::move(trials));
  }
  TRY(auto runs, ExperimentRuns::of(experiment, stop));
  return std::unique_ptr<FactRuns>(std::move(runs));
}

}  // namespace

void LessonRuns::watch(std::stop_token stop, const FactRuns::Started& started) {
  stop_ = std::move(stop);
  started_ = started;
}

Result<FactRuns*> LessonRuns::of(const LessonExperiment& experiment) {
  const auto known = std::ranges::find(runs_, experiment, &Known::experiment);
  if (known != runs_.end()) {
    std::rotate(known, known + 1, runs_.end());
    runs_.back().runs->watch(stop_, started_);
    return runs_.back().runs.get();
  }
  TRY(auto runs, runs_of(experiment, stop_));
  if (runs_.size() == kMostKept) runs_.erase(runs_.begin());
  runs->watch(stop_, started_);
  runs_.push_back({experiment, std::move(runs)});
  return runs_.back().runs.get();
}

Result<Lesson> as_changed(const PlayedLesson& played) {
  Lesson out = played.lesson;
  for (const auto& [place, experiment] : played.changed) {
    if (place >= out.experiments.size()) continue;
    TRY(out.experiments[place], changed_to(out.experiments[place], experiment));
  }
  for (const auto& [place, shardings] : played.shardings)
    if (place < out.experiments.size()) out.experiments[place].shardings = shardings;
  return out;
}

Result<Experiment> experiment_at(const PlayedLesson& played, size_t step) {
  const int32_t place = view_of(played.lesson, step).experiment;
  if (place < 0) return invalid("this step shows no experiment");
  const auto changed = played.changed.find(static_cast<size_t>(place));
  if (changed != played.changed.end()) return changed->second;
  return experiment_of(played.lesson.experiments[static_cast<size_t>(place)]);
}

Result<ShownStep> play_step(const PlayedLesson& played, size_t step, LessonRuns& runs) {
  TRY(const Lesson lesson, as_changed(played));
  const auto of = [&](const LessonExperiment& experiment) { return runs.of(experiment); };
  const bool chosen = played.schedule && played.schedule->step == step;
  TRY(ShownStep out,
      show_step(lesson, step, of, chosen ? ChosenSchedule(played.schedule->choices) : std::nullopt));
  const auto place = static_cast<size_t>(std::max(0, out.experiment));
  if (out.watched.empty() || !(chosen || played.changed.contains(place) || played.shardings.contains(place)))
    return out;
  TRY(const ShownStep before, show_step(played.lesson, step, of));
  for (WatchedValue& watched : out.watched)
    for (const WatchedValue& was : before.watched)
      if (was.name == watched.name) watched.before = was.now;
  return out;
}

}  // namespace shardscope::inline session
