// SPDX-License-Identifier: Apache-2.0
// Edits of a lesson's steps. What a step does not say it has from the step before: an edit among them leaves
// what every other step shows as it was.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/lesson/shown_step.h"

namespace shardscope::inline session {

Lesson with_step(const Lesson& lesson, size_t place, LessonStep step);  // in front of the one that is there
Lesson without_step(const Lesson& lesson, size_t place);                // a lesson keeps one step
Lesson with_step_moved(const Lesson& lesson, size_t from, size_t to);

// A moment of a run as somebody looks at it.
struct ViewOfRun {
  const Run& run;
  const Story* story = nullptr;  // none: it is not told
  int32_t beat = 0;
  std::vector<std::string> show;        // one or two views
  std::optional<StoryThing> pointed{};  // what is selected
};
// A step that shows it and says what happens there; its experiment comes in where the lesson lacks it. Error:
// a module's run, which a lesson names by its file.
Result<Lesson> with_view(const Lesson& lesson, size_t place, const ViewOfRun& view);

// The runs of an experiment under the names that steps use, of kernels theirs; empty: it cannot be read.
std::vector<std::string> run_names(const LessonExperiment& experiment);
// What can be pointed at: "device (0,1)", "a0".
std::vector<std::string> thing_names(const Story& story);

// A question about what a step shows, with an answer that has a value: what moves next, else how long it
// takes.
LessonStep question_about(const ShownStep& shown);

}  // namespace shardscope::inline session
