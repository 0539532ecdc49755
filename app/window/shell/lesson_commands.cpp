// SPDX-License-Identifier: Apache-2.0
// Commands on lessons: choosing, playing and saving them.
#include "app/window/docks/lesson_dock.h"
#include "app/window/document/language.h"
#include "app/window/shell/commands.h"
#include "engine/session/lessons/lesson_presets.h"

namespace shardscope {
namespace {

constexpr const char* kLesson = to_say("&Lesson");

bool is_open(const Context& c) {
  return lesson_of(c).document().isOpen();
}

// Without a menu: found in the palette.
std::vector<Command> built_in_lessons() {
  std::vector<Command> rows;
  for (const LessonPreset& lesson : lesson_presets()) {
    const QString name = QString::fromStdString(lesson.name);
    rows.push_back({.id = "lesson.preset." + name,
                    .title = "Lesson: %1"_tr.arg(QString::fromStdString(lesson.title)),
                    .run = [name](const Context& c) { c.report(open_lesson(c, name)); }});
  }
  return rows;
}

}  // namespace

std::vector<Command> lesson_commands() {
  std::vector<Command> rows = {
      {.id = "lesson.choose",
       .menu = kLesson,
       .title = "&Lessons…"_tr,
       .run = show_lessons,
       .tip = "The built-in lessons, to play one"_tr},
      {.id = "lesson.new", .menu = kLesson, .title = "&New lesson"_tr, .run = new_lesson},
      {.id = "lesson.next",
       .menu = kLesson,
       .title = "Ne&xt step"_tr,
       .run = [](const Context& c) { lesson_of(c).player().next(); },
       .tip = "On the Lesson page: PgDn"_tr,
       .can = is_open,
       .line = true},
      {.id = "lesson.previous",
       .menu = kLesson,
       .title = "&Previous step"_tr,
       .run = [](const Context& c) { lesson_of(c).player().previous(); },
       .tip = "On the Lesson page: PgUp"_tr,
       .can = is_open},
      {.id = "lesson.replay",
       .menu = kLesson,
       .title = "Play the step &again"_tr,
       .run = [](const Context& c) { lesson_of(c).player().replay(); },
       .tip = "From the moment before to its moment"_tr,
       .can = is_open},
      {.id = "lesson.save",
       .menu = kLesson,
       .title = "&Save the lesson"_tr,
       .run = save_lesson,
       .can = is_open,
       .line = true},
      {.id = "lesson.save_as",
       .menu = kLesson,
       .title = "Save the lesson &as…"_tr,
       .run = save_lesson_as,
       .can = is_open},
  };
  for (const Command& each : built_in_lessons()) rows.push_back(each);
  return rows;
}

}  // namespace shardscope
