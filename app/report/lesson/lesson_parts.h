// SPDX-License-Identifier: Apache-2.0
// Parts of a lesson's page beside its pictures.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "engine/base/result.h"
#include "engine/lesson/question.h"
#include "engine/session/lessons/played_lesson.h"

namespace shardscope::inline app_report {

// <form class="ask">: the question, what there is to choose or a field for a number, and the answer, which
// the script shows once something was answered. `step`: from 0.
std::string question_html(const Question& question, size_t step);

// <figure> of a step as it is shown; empty: there is none, or no room is left for it.
using TriedFigure = std::function<Result<std::string>(const ShownStep& shown)>;

// The quantities that the step watches, as it is and under each change that it offers, and what each change
// looks like, all computed now: a file cannot run the engine. Empty when none can be computed.
Result<std::string> tries_html(const PlayedLesson& played, size_t step, LessonRuns& runs,
                               const TriedFigure& figure, const std::stop_token& stop);

}  // namespace shardscope::inline app_report
