// SPDX-License-Identifier: Apache-2.0
// Evaluates everything in a lesson: what a class would read, and what is wrong with the file.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "engine/lesson/lesson_file.h"
#include "engine/lesson/shown_step.h"

namespace shardscope::inline lesson {

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
// not there, a form of an answer that is judged falsely, a wrong answer that is not told why, a text that
// says the answer before it is given. Error of the whole: stopped.
Result<LessonCheck> check_lesson(const LessonFile& file, const RunsOfExperiment& runs,
                                 const std::vector<std::string>& views, const std::stop_token& stop);

}  // namespace shardscope::inline lesson
