// SPDX-License-Identifier: Apache-2.0
// Schedules of a kernel that a class may choose where a step lets it.
#pragma once

#include "engine/session/lessons/lesson_changes.h"

namespace shardscope::inline session {

// The shortest that breaks the kernel, where one does, and a few that the search tries first. Errors: the
// step shows no kernel, or nothing can happen there but one thing after the other.
Result<std::vector<OfferedChange>> offered_schedules(const PlayedLesson& played, size_t step,
                                                     LessonRuns& runs);
// The beginnings of others; the same seed, the same schedules.
Result<std::vector<OfferedChange>> random_schedules(const PlayedLesson& played, size_t step, uint64_t seed,
                                                    size_t count, LessonRuns& runs);

}  // namespace shardscope::inline session
