// SPDX-License-Identifier: Apache-2.0
// The lessons that come with the program, and files of one's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/lesson/lesson_file.h"

namespace shardscope::inline session {

struct LessonPreset {
  std::string name;  // "ring_all_gather"
  std::string title;
  int64_t minutes = 0;
  int64_t steps = 0;
  std::string audience, after;
};
std::vector<LessonPreset> lesson_presets();
// What a list says of a lesson under that name.
LessonPreset summary_of(const Lesson& lesson, std::string name);
// A built-in lesson, or a file.
Result<LessonFile> find_lesson(std::string_view name_or_path);

}  // namespace shardscope::inline session
