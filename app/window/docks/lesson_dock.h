// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/docks/context.h"
#include "app/window/lesson/lesson_moments.h"
#include "app/window/lesson/lesson_panel.h"

namespace shardscope::inline window {

LessonPanel* make_lesson(const Context& context);
LessonPanel& lesson_of(const Context& context);
LessonMoments& lesson_moments(const Context& context);  // of the picture that its step shows
bool has_lesson(const Context& context);                // one is open
// Whether this is what Save and the title are about.
bool at_lesson(const Context& context);

// A built-in lesson or a file, on the page of lessons. Asks first where edits would be lost. Errors: no such
// lesson, it makes no sense.
Result<void> open_lesson(const Context& context, const QString& name_or_path);
void show_lessons(const Context& context);  // to choose one of
void new_lesson(const Context& context);
void save_lesson(const Context& context);  // asks where, when it has no file
void save_lesson_as(const Context& context);
// The open lesson as one page that plays without the program: asks where, then write_lesson_page.
void export_lesson(const Context& context);
// As the window's job. Refused with a word while another one runs.
void write_lesson_page(const Context& context, const QString& path);
// What is looked at becomes a step: behind the one that is open, of a new lesson when none is.
void add_view_to_lesson(const Context& context);
// Asks whether edits are to be saved. False: neither saved nor given up.
bool may_leave_lesson(const Context& context);

}  // namespace shardscope::inline window
