// SPDX-License-Identifier: Apache-2.0
// Evaluates everything in a lesson: what a class would read, and what is wrong with the file.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/lesson/facts.h"
#include "engine/lesson/lesson_file.h"

namespace shardscope {

// The runs of an experiment of the lesson, computed when they are asked for. Null never.
using RunsOfExperiment = std::function<Result<FactRuns*>(const LessonExperiment& experiment)>;

struct CheckedStep {
  std::string say, ask, answer;  // with values; try stands under say
  bool ok = true;
};
struct LessonError {
  int64_t line = 0;
  std::string message;
};
struct LessonCheck {
  std::string title;
  std::vector<CheckedStep> steps;
  std::vector<LessonError> errors;
};
// Beside what cannot be evaluated these are errors: a number typed in a text outside braces and `code`, an
// expectation that holds before anything was changed, a view that nobody has, something to point at that is
// not there. Error of the whole: stopped.
Result<LessonCheck> check_lesson(const LessonFile& file, const RunsOfExperiment& runs,
                                 const std::vector<std::string>& views, const std::stop_token& stop);

// The moment that a step shows. Errors: its beat has no value, or there is no such beat.
Result<ShownMoment> moment_of(const StepView& view, FactRuns& runs);

}  // namespace shardscope
