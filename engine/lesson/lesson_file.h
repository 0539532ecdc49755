// SPDX-License-Identifier: Apache-2.0
// The TOML form of a lesson: presets/lessons/*.lesson.toml, and the user's own.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/lesson/lesson.h"

namespace shardscope::inline lesson {

// With the lines where the texts of its steps stand, for errors.
struct LessonFile {
  Lesson lesson;
  std::string name;
  std::vector<std::map<std::string, int64_t, std::less<>>> lines;  // by step: key → line
  std::map<std::string, int64_t, std::less<>> experiment_lines;
  int64_t line_of(size_t step, std::string_view key) const;
};

Result<LessonFile> parse_lesson(std::string_view toml, std::string_view file_name);
std::string lesson_toml(
    const Lesson& lesson);  // parse_lesson reads it back, equal; the same lesson, the same bytes

}  // namespace shardscope::inline lesson
