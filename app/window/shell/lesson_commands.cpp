// SPDX-License-Identifier: Apache-2.0
// Commands on lessons: choosing, playing and saving them.
#include "app/window/docks/lesson_dock.h"
#include "app/window/document/language.h"
#include "app/window/shell/commands.h"
#include "engine/session/lessons/lesson_presets.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kLesson = to_say("&Lesson");

// Its template is there to be written over.
void add_question(const Context& c) {
  lesson_of(c).editButton()->setChecked(true);
  lesson_of(c).steps()->addQuestion();
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

std::vector<Command> playing_commands() {
  return {
      {.id = "lesson.choose",
       .menu = kLesson,
       .title = "&Lessons…"_tr,
       .run = show_lessons,
       .tip = "The built-in lessons, to play one"_tr},
      {.id = "lesson.new", .menu = kLesson, .title = "&New lesson"_tr, .run = new_lesson},
      {.id = "lesson.export",
       .menu = kLesson,
       .title = "&Export lesson…"_tr,
       .run = export_lesson,
       .tip = "As one page that plays in any browser, without a network"_tr,
       .can = has_lesson},
      {.id = "lesson.next",
       .menu = kLesson,
       .title = "Ne&xt step"_tr,
       .run = [](const Context& c) { lesson_of(c).player().next(); },
       .tip = "On the Lesson page: PgDn"_tr,
       .can = has_lesson,
       .line = true},
      {.id = "lesson.previous",
       .menu = kLesson,
       .title = "&Previous step"_tr,
       .run =
           [](const Context& c) {
             LessonPlayer& player = lesson_of(c).player();
             player.goTo(player.step() - 1);
           },
       .tip = "On the Lesson page: PgUp"_tr,
       .can = has_lesson},
      {.id = "lesson.replay",
       .menu = kLesson,
       .title = "Play the step &again"_tr,
       .run = [](const Context& c) { lesson_of(c).player().replay(); },
       .tip = "From the moment before to its moment"_tr,
       .can = has_lesson},
  };
}

std::vector<Command> authoring_commands() {
  return {
      {.id = "lesson.add_view",
       .menu = kLesson,
       .title = "Add this &view as a step"_tr,
       .keys = {QKeySequence("Ctrl+Shift+L")},
       .run = add_view_to_lesson,
       .tip = "From any page: experiment, run, moment, views and what is selected"_tr,
       .line = true},
      {.id = "lesson.add_question",
       .menu = kLesson,
       .title = "Add a &question"_tr,
       .run = add_question,
       .tip = "Behind this step, about what it shows"_tr,
       .can = has_lesson},
      {.id = "lesson.edit",
       .menu = kLesson,
       .title = "&Edit the texts"_tr,
       .run = [](const Context& c) { lesson_of(c).editButton()->toggle(); },
       .can = has_lesson,
       .on = [](const Context& c) { return has_lesson(c) && lesson_of(c).editButton()->isChecked(); }},
      {.id = "lesson.up",
       .menu = kLesson,
       .title = "Move the step &up"_tr,
       .keys = {QKeySequence("Alt+Up")},
       .run = [](const Context& c) { lesson_of(c).steps()->moveStep(-1); },
       .can = at_lesson},
      {.id = "lesson.down",
       .menu = kLesson,
       .title = "Move the step &down"_tr,
       .keys = {QKeySequence("Alt+Down")},
       .run = [](const Context& c) { lesson_of(c).steps()->moveStep(1); },
       .can = at_lesson},
      {.id = "lesson.delete",
       .menu = kLesson,
       .title = "Delete the s&tep"_tr,
       .run = [](const Context& c) { lesson_of(c).steps()->deleteStep(); },
       .can = at_lesson},
  };
}

std::vector<Command> saving_commands() {
  return {
      {.id = "lesson.save",
       .menu = kLesson,
       .title = "&Save the lesson"_tr,
       .run = save_lesson,
       .can = has_lesson,
       .line = true},
      {.id = "lesson.save_as",
       .menu = kLesson,
       .title = "Save the lesson &as…"_tr,
       .run = save_lesson_as,
       .can = has_lesson},
  };
}

}  // namespace

std::vector<Command> lesson_commands() {
  std::vector<Command> rows;
  for (const auto& part : {playing_commands(), authoring_commands(), saving_commands(), built_in_lessons()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace shardscope::inline window
