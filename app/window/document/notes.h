// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QObject>
#include <QString>
#include <QUndoStack>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "app/window/document/clock.h"
#include "app/window/document/run_store.h"

namespace shardscope::inline window {

// What somebody says of a moment of a run.
struct Note {
  Picoseconds time = 0;
  int32_t device = -1, event = -1;  // -1: of no device, of no event
  QString text;
  bool operator==(const Note&) const = default;
};

// Of one run: notes in the order of their times, and bookmarks by their digit, each a timeline's view.
struct RunNotes {
  std::vector<Note> notes;
  QJsonObject bookmarks;
  bool operator==(const RunNotes&) const = default;
};
QByteArray text(const RunNotes& notes);  // JSON; read_notes(text(n)) == n
RunNotes read_notes(const QByteArray& text);

// The notes of the shown run. They are the workspace's: each edit is written there at once, a file or a
// journal, and is there again when that is opened. Edits of the shown run can be undone.
class Notes : public QObject {
  Q_OBJECT
 public:
  Notes(Clock& clock, const RunStore& runs, QObject* parent = nullptr);

  const RunNotes& now() const { return now_; }
  QUndoStack& undoStack() { return undo_; }
  int add(Note note);  // gives its place
  void setText(int place, const QString& text);
  void remove(int place);
  void setBookmark(int digit, const QJsonObject& view);
  // Where to go for a note: its event, else its moment.
  void go(int place);

 Q_SIGNALS:
  void changed();

 private:
  friend class NotesEdit;
  void read();
  void edit(RunNotes next, const QString& title);
  void write(const RunNotes& notes);

  Clock& clock_;
  const RunStore& runs_;
  QUndoStack undo_;
  RunNotes now_;
  std::weak_ptr<Workspace> workspace_;  // that the shown run's notes are in
  std::optional<int64_t> run_;
  std::map<int64_t, RunNotes> written_;  // to `workspace_`, by run: its writer may not have come to them
};

// Takes a run's notes along when it is copied.
void copy_notes(const Workspace& from, int64_t run, Workspace& to, int64_t as);

}  // namespace shardscope::inline window
