// SPDX-License-Identifier: Apache-2.0
#include "engine/session/lessons/lesson_presets.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "engine/base/embedded_file.h"
#include "engine/base/read_file.h"
#include "engine/base/text.h"

namespace shardscope::embedded {
std::span<const EmbeddedFile> lesson_preset_files();
}  // namespace shardscope::embedded

namespace shardscope::inline session {

namespace {

constexpr std::string_view kLessonEnding = ".lesson.toml";

}  // namespace

std::vector<LessonPreset> lesson_presets() {
  std::vector<LessonPreset> out;
  for (const EmbeddedFile& file : embedded::lesson_preset_files()) {
    const auto lesson = parse_lesson(file.text, std::string(file.name) + std::string(kLessonEnding));
    CHECK(lesson.ok(), lesson.ok() ? "" : lesson.error().text());
    out.push_back(summary_of(lesson->lesson, std::string(file.name)));
  }
  // As they are numbered: the tenth comes behind the ninth.
  std::ranges::stable_sort(out, {}, [](const LessonPreset& lesson) {
    return parse_int(lesson.name.substr(0, lesson.name.find('_'))).value_or(0);
  });
  return out;
}

LessonPreset summary_of(const Lesson& lesson, std::string name) {
  return {std::move(name), lesson.title, lesson.minutes, static_cast<int64_t>(lesson.steps.size()),
          lesson.audience, lesson.after};
}

Result<LessonFile> find_lesson(std::string_view name_or_path) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded::lesson_preset_files()) {
    if (file.name == name_or_path)
      return parse_lesson(file.text, std::string(file.name) + std::string(kLessonEnding));
    names.emplace_back(file.name);
  }
  const std::string path(name_or_path);
  const auto text = read_file(path);
  if (text.ok()) return parse_lesson(*text, path);
  if (path.find('/') != std::string::npos || path.ends_with(".toml")) return text.error();
  const auto near = nearest(path, names);
  return invalid(fmt::format("unknown lesson '{}'", path), "",
                 near ? fmt::format("did you mean '{}'?", *near)
                      : fmt::format("use one of {}, or the path of a file", join(names, ", ")));
}

}  // namespace shardscope::inline session
