// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QUndoStack>

#include "app/window/document/document_change.h"
#include "engine/base/result.h"
#include "engine/lesson/lesson.h"

namespace shardscope::inline window {

// The lesson that is open: a value, the stack of values it was, and the file that it is of. Every edit goes
// through change(), so everything can be undone.
class LessonDocument : public QObject {
  Q_OBJECT
 public:
  explicit LessonDocument(QObject* parent = nullptr) : QObject(parent) {}

  const Lesson& lesson() const { return lesson_; }
  bool isOpen() const { return !lesson_.steps.empty(); }
  QUndoStack& undoStack() { return undo_; }
  // Edits of the same `field` in a row are one step of undo (typing); empty: never merged.
  void change(const Lesson& to, const QString& text, const QString& field = "");
  // Another one; forgets the stack. `file` is empty of a built-in lesson, or a new one.
  void open(const Lesson& lesson, const QString& file = "");
  // One that comes with the program: it is not edited until somebody asks for it.
  void openBuiltIn(const Lesson& lesson, const QString& name);
  const QString& builtIn() const { return built_in_; }  // its name; empty: it is none
  bool locked() const { return locked_; }
  void unlock() { locked_ = false; }
  // As it was when its window ended: `saved` is what its file holds.
  void restore(const Lesson& lesson, const QString& file, const Lesson& saved);
  void close() { open({}); }
  Result<void> save(const QString& path);  // it is its file then

  const QString& file() const { return file_; }
  const Lesson& saved() const { return saved_; }
  QString name() const;  // the file's, else the title
  bool modified() const { return lesson_ != saved_; }

 Q_SIGNALS:
  void opened();           // another lesson, or none
  void changed(int step);  // by an edit, its undo or redo: the first step that is another now, -1: none is
  void fileChanged();      // another one, or what it holds
  void refused();          // an edit of one that is locked

 private:
  friend class DocumentChange<LessonDocument, Lesson>;
  void set(const Lesson& lesson);
  void put(const Lesson& lesson, const QString& file, const Lesson& saved);

  Lesson lesson_, saved_;
  QString file_, built_in_;
  bool locked_ = false;
  QUndoStack undo_;
};

}  // namespace shardscope::inline window
