// SPDX-License-Identifier: Apache-2.0
// The lessons that come with the program, files of one's own, and their runs.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/lesson/check_lesson.h"
#include "engine/session/lessons/experiment_runs.h"

namespace shardscope {

struct LessonPreset {
  std::string name;  // "ring_all_gather"
  std::string title;
  int64_t minutes = 0;
  int64_t steps = 0;
};
std::vector<LessonPreset> lesson_presets();
// A built-in lesson, or a file.
Result<LessonFile> find_lesson(std::string_view name_or_path);

// The runs of all experiments of a lesson, each made when it is first asked for.
class LessonRuns {
 public:
  explicit LessonRuns(std::stop_token stop) : stop_(std::move(stop)) {}
  Result<FactRuns*> of(const LessonExperiment& experiment);

 private:
  std::stop_token stop_;
  std::map<std::string, std::unique_ptr<ExperimentRuns>> runs_;
};

}  // namespace shardscope
