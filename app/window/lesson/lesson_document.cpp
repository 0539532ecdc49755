// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/lesson_document.h"

#include <QFileInfo>
#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "app/window/settings/save_text.h"
#include "engine/lesson/lesson_file.h"

namespace shardscope::inline window {

void LessonDocument::change(const Lesson& to, const QString& text, const QString& field) {
  if (to == lesson_) return;
  if (locked_) return Q_EMIT refused();
  undo_.push(new DocumentChange(*this, lesson_, to, text, field));
}

void LessonDocument::open(const Lesson& lesson, const QString& file) {
  built_in_.clear();
  locked_ = false;
  put(lesson, file, lesson);
}

void LessonDocument::openBuiltIn(const Lesson& lesson, const QString& name) {
  built_in_ = name;
  locked_ = true;
  put(lesson, "", lesson);
}

void LessonDocument::restore(const Lesson& lesson, const QString& file, const Lesson& saved) {
  built_in_.clear();
  locked_ = false;
  put(lesson, file, saved);
}

void LessonDocument::put(const Lesson& lesson, const QString& file, const Lesson& saved) {
  undo_.clear();
  lesson_ = lesson;
  saved_ = saved;
  file_ = file;
  Q_EMIT opened();
  Q_EMIT fileChanged();
}

Result<void> LessonDocument::save(const QString& path) {
  TRY_VOID(save_text(path, lesson_toml(lesson_)));
  file_ = path;
  saved_ = lesson_;
  Q_EMIT fileChanged();
  return {};
}

QString LessonDocument::name() const {
  return file_.isEmpty() ? QString::fromStdString(lesson_.title) : QFileInfo(file_).fileName();
}

void LessonDocument::set(const Lesson& lesson) {
  const auto [was, is] = std::ranges::mismatch(lesson_.steps, lesson.steps);
  const bool same = was == lesson_.steps.end() && is == lesson.steps.end();
  const auto step = std::min<std::ptrdiff_t>(is - lesson.steps.begin(), std::ssize(lesson.steps) - 1);
  lesson_ = lesson;
  Q_EMIT changed(same ? -1 : static_cast<int>(step));
}

}  // namespace shardscope::inline window
