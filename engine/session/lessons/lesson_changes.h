// SPDX-License-Identifier: Apache-2.0
// Changes that a class may make where a step lets it try: those that are offered by name, and any others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/lesson/check_lesson.h"
#include "engine/lesson/lesson.h"
#include "engine/session/lessons/played_lesson.h"

namespace shardscope::inline session {

struct OfferedChange {
  std::string words;  // "x = 6", "twice n"
  Experiment changed;
  std::vector<std::string> shardings{};      // of a module instead
  std::string kind{};                        // what of kChanges it is of
  std::optional<PlayedSchedule> schedule{};  // of a kernel instead
};
PlayedLesson with_change(PlayedLesson played, size_t step, const OfferedChange& change);
// Partial sums kept, and sent from device to device, in this type: "f32", "bf16".
Experiment with_sums(const Experiment& from, const std::string& type);
// A few of each kind that the step lets change. Errors: it shows nothing that can be changed.
Result<std::vector<OfferedChange>> offered_changes(const PlayedLesson& played, size_t step, LessonRuns& runs);
// Such as a class may come upon; the same seed, the same changes. Some of them cannot be run.
Result<std::vector<OfferedChange>> random_changes(const PlayedLesson& played, size_t step, uint64_t seed,
                                                  size_t count, LessonRuns& runs);

// Plays the lesson under each change that its steps offer and under 20 random ones. Errors: a text or an
// answer without a value then, a text that takes for granted what is no longer so, a text that gives
// away an answer then, a step that watches nothing, a kind of change that changes nothing of what it watches,
// a goal that no change reaches. Error of the whole: stopped.
Result<std::vector<LessonError>> check_changes(const LessonFile& file, LessonRuns& runs,
                                               const std::stop_token& stop);

}  // namespace shardscope::inline session
