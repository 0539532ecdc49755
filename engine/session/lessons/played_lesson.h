// SPDX-License-Identifier: Apache-2.0
// A lesson as a class plays it, with what the class has changed: the runs behind its steps, and each step as
// it is shown.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/lesson/shown_step.h"
#include "engine/session/lessons/experiment_runs.h"

namespace shardscope::inline session {

// The runs of the experiments of a lesson, each made when it is first asked for. An experiment that was
// changed is another one: what is the same is not made twice, whatever it is called.
class LessonRuns {
 public:
  explicit LessonRuns(std::stop_token stop) : stop_(std::move(stop)) {}
  void watch(std::stop_token stop, const FactRuns::Started& started);  // as FactRuns
  Result<FactRuns*> of(const LessonExperiment& experiment);            // valid until the next call
  size_t kept() const { return runs_.size(); }

 private:
  struct Known {
    LessonExperiment experiment;
    std::unique_ptr<FactRuns> runs;
  };
  std::stop_token stop_;
  FactRuns::Started started_;
  std::vector<Known> runs_;  // the latest last; a class that changes much forgets the oldest
};

// A kernel's schedule as the class chose it in a step.
struct PlayedSchedule {
  size_t step = 0;
  std::vector<kernels::Action> choices;
  bool operator==(const PlayedSchedule&) const = default;
};

struct PlayedLesson {
  Lesson lesson;                         // as it is written
  std::map<size_t, Experiment> changed;  // by place among its experiments: what the class made of them
  std::map<size_t, std::vector<std::string>>
      shardings{};  // of a module's parameters, where it has changed one
  std::optional<PlayedSchedule> schedule{};
  bool operator==(const PlayedLesson&) const = default;
};
// The lesson with those changes in its experiments: texts, answers and pictures follow them. Errors: as
// changed_to.
Result<Lesson> as_changed(const PlayedLesson& played);
// The experiment that a step shows, as it is now. Errors: it shows none, or a module.
Result<Experiment> experiment_at(const PlayedLesson& played, size_t step);

// A step as it is shown. Errors: the class's changes are impossible, or it was stopped; what else is wrong
// stands in the step.
Result<ShownStep> play_step(const PlayedLesson& played, size_t step, LessonRuns& runs);

}  // namespace shardscope::inline session
