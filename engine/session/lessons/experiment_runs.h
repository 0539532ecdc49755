// SPDX-License-Identifier: Apache-2.0
// The runs of an experiment, under names, for lessons and notes: each is planned and timed when it is first
// asked for, and its numbers are computed when somebody asks for them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/lesson/facts.h"
#include "engine/lesson/lesson.h"
#include "engine/program/stages/stage.h"
#include "engine/session/session.h"

namespace shardscope::inline session {

// The experiment that a lesson names or has written out. Errors: no such preset, or it is a module's.
Result<Experiment> experiment_of(const LessonExperiment& experiment);
// The same runs under the same names of what the class made of it. Errors: those, or it has other runs.
Result<LessonExperiment> changed_to(const LessonExperiment& from, const Experiment& to);

class ExperimentRuns : public FactRuns {
 public:
  // Every run by its strategy, the second one of a strategy as "wang.os#2". Without stories their events are
  // not kept either.
  ExperimentRuns(Experiment experiment, bool stories, std::stop_token stop);
  // Those that the lesson names. Errors: no such preset, module or run.
  static Result<std::unique_ptr<ExperimentRuns>> of(const LessonExperiment& experiment, std::stop_token stop);

  FactNames names() const override;
  Result<const NamedRun*> find(std::string_view name, bool numbers) override;
  Result<std::string> source() const override;
  Result<std::string> sharding_of(std::string_view parameter) const override;
  Result<std::string> listing(std::string_view stage) override;
  Result<std::string> winner() override;
  const Experiment& experiment() const { return experiment_; }
  void watch(std::stop_token stop, const Started& started) override;

 private:
  struct ExperimentRun {
    std::string name;
    RunRequest request;
  };
  Result<RunPtr> execute_run(const RunRequest& request, bool numbers) const;
  Result<RunPtr> execute_own_module();
  Result<size_t> place_of(std::string_view name) const;
  Result<void> choose(const std::vector<std::string>& runs);

  Experiment experiment_;
  LessonExperiment module_;  // instead of the experiment
  StagePtr stages_;          // of the module once it has run
  bool stories_;
  std::stop_token stop_;
  Started started_;
  std::vector<ExperimentRun> runs_;
  std::map<size_t, NamedRun> known_;
};

}  // namespace shardscope::inline session
