// SPDX-License-Identifier: Apache-2.0
// A step of a lesson as a class sees it on the wall: what stands above and below its pictures, and whether
// all of it is to be seen.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "engine/lesson/check_lesson.h"
#include "engine/session/lessons/played_lesson.h"
#include "views/scene/core/layouts.h"

namespace shardscope {

// "A ring: step 3 of 17".
std::string presented_title(const Lesson& lesson, size_t step);
// What its pictures are of: a run's strategy, mesh and chip, or a kernel; empty: they are of nothing.
std::string presented_subject(const ShownStep& step);
// What the class reads: what is said, to be tried, asked; once it is answered, the answer and why.
enum class Answered : bool { no, yes };
std::string presented_words(const ShownStep& step, Answered answered);

// The smallest wall that all of a step has to fit.
inline constexpr float kWallWidth = 1280, kWallHeight = 720;
// The step at its moment, or half way to it, on such a wall; `foot`: the height that the words had so far,
// which the picture does not get back. Error: no such view.
struct PresentedFrame {
  Scene scene;
  std::vector<std::string> faults;  // what of it is not to be seen, or too small
};
Result<PresentedFrame> presented_frame(const Lesson& lesson, const ShownStep& step, double part, float& foot);

// Steps of which something is not to be seen when they are presented. Error of the whole: stopped.
Result<std::vector<LessonError>> check_presented(const LessonFile& file, LessonRuns& runs);

}  // namespace shardscope
