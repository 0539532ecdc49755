// SPDX-License-Identifier: Apache-2.0
// A step of a lesson as a class sees it on the wall: what stands above and below its pictures, and whether
// all of it is to be seen.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "app/report/lesson/presented_pictures.h"
#include "engine/lesson/check_lesson.h"
#include "engine/session/lessons/played_lesson.h"

namespace shardscope::inline app_report {

// "A ring: step 3 of 17".
std::string presented_title(const Lesson& lesson, size_t step);
// What its pictures are of: a run's strategy, mesh and chip, or a kernel; empty: they are of nothing.
std::string presented_subject(const ShownStep& step);
// What the class reads: what is said, to be tried, asked; once it is answered, the answer and why.
std::string presented_words(const ShownStep& step, Answered answered);

// The smallest wall that all of a step has to fit.
inline constexpr float kWallWidth = 1280, kWallHeight = 720;
struct PresentedFrame {
  Scene scene;
  std::vector<std::string> faults;  // what of it is not to be seen, or too small
};
// How a step stands on such a wall at all its moments. Error: no such view.
struct PresentedLayout {
  float head = 0, foot = 0;
  PresentedPlan plan;
};
Result<PresentedLayout> presented_layout(const Lesson& lesson, const ShownStep& step);
Result<PresentedFrame> presented_frame(const Lesson& lesson, const ShownStep& step,
                                       const PresentedLayout& layout, const PresentedMoment& at);

// Steps of which something is not to be seen when they are presented. Error of the whole: stopped.
Result<std::vector<LessonError>> check_presented(const LessonFile& file, LessonRuns& runs);

}  // namespace shardscope::inline app_report
