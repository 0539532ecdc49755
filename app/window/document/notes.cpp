// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/notes.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

// Under which a workspace keeps the notes of a run.
std::string name_of(int64_t run) {
  return "notes." + std::to_string(run);
}

RunNotes kept_notes(const Workspace& workspace, int64_t run) {
  const auto kept = workspace.kept(name_of(run));
  return kept.ok() && *kept ? read_notes(QByteArray::fromStdString(**kept)) : RunNotes();
}

}  // namespace

QByteArray text(const RunNotes& notes) {
  QJsonArray all;
  for (const Note& note : notes.notes)
    all.append(QJsonObject{{"time", static_cast<qint64>(note.time)},
                           {"device", note.device},
                           {"event", note.event},
                           {"text", note.text}});
  return QJsonDocument(QJsonObject{{"notes", all}, {"bookmarks", notes.bookmarks}})
      .toJson(QJsonDocument::Compact);
}

RunNotes read_notes(const QByteArray& text) {
  const QJsonObject in = QJsonDocument::fromJson(text).object();
  RunNotes out;
  for (const auto& each : in["notes"].toArray()) {
    const QJsonObject note = each.toObject();
    out.notes.push_back({note["time"].toInteger(), note["device"].toInt(-1), note["event"].toInt(-1),
                         note["text"].toString()});
  }
  std::ranges::stable_sort(out.notes, {}, &Note::time);
  out.bookmarks = in["bookmarks"].toObject();
  return out;
}

class NotesEdit : public QUndoCommand {
 public:
  NotesEdit(Notes& of, RunNotes next, const QString& title)
      : QUndoCommand(title), of_(of), before_(of.now_), after_(std::move(next)) {}
  void undo() override { of_.write(before_); }
  void redo() override { of_.write(after_); }

 private:
  Notes& of_;
  RunNotes before_, after_;
};

Notes::Notes(Clock& clock, const RunStore& runs, QObject* parent)
    : QObject(parent), clock_(clock), runs_(runs) {
  connect(&clock_, &Clock::runChanged, this, &Notes::read);
}

void Notes::read() {
  if (clock_.subject() == Subject::neither) return;  // they wait, with what can be taken back
  const ShownRunPtr& shown = clock_.shown();
  const std::optional<int64_t> run = shown ? shown->run->id : std::nullopt;
  const std::shared_ptr<Workspace>& workspace = runs_.workspace();
  const bool same = workspace_.lock() == workspace;
  if (same && run == run_) return;
  if (!same) written_.clear();
  workspace_ = workspace;
  run_ = run;
  undo_.clear();
  const auto written = run ? written_.find(*run) : written_.end();
  now_ = written != written_.end() ? written->second
         : run && workspace        ? kept_notes(*workspace, *run)
                                   : RunNotes();
  Q_EMIT changed();
}

void Notes::write(const RunNotes& notes) {
  now_ = notes;
  const auto workspace = workspace_.lock();
  if (run_ && workspace) {
    written_[*run_] = notes;
    static_cast<void>(workspace->keep(name_of(*run_), text(notes).toStdString()));
  }
  Q_EMIT changed();
}

void Notes::edit(RunNotes next, const QString& title) {
  if (run_ && next != now_) undo_.push(new NotesEdit(*this, std::move(next), title));
}

int Notes::add(Note note) {
  RunNotes next = now_;
  const auto place = std::ranges::upper_bound(next.notes, note.time, {}, &Note::time) - next.notes.begin();
  next.notes.insert(next.notes.begin() + place, std::move(note));
  edit(std::move(next), "add a note"_tr);
  return static_cast<int>(place);
}

void Notes::setText(int place, const QString& text) {
  RunNotes next = now_;
  next.notes[static_cast<size_t>(place)].text = text;
  edit(std::move(next), "edit a note"_tr);
}

void Notes::remove(int place) {
  RunNotes next = now_;
  next.notes.erase(next.notes.begin() + place);
  edit(std::move(next), "delete a note"_tr);
}

// Kept as notes are, but no edit that somebody would take back.
void Notes::setBookmark(int digit, const QJsonObject& view) {
  RunNotes next = now_;
  next.bookmarks[QString::number(digit)] = view;
  if (run_) write(next);
}

void Notes::go(int place) {
  if (!clock_.shown() || place < 0 || place >= static_cast<int>(now_.notes.size())) return;
  const Note note = now_.notes[static_cast<size_t>(place)];
  const ViewInput input = clock_.shown()->input();
  if (find_event(input, note.event)) clock_.select(event_item(input, note.event));
  clock_.player().setTime(note.time);
}

void copy_notes(const Workspace& from, int64_t run, Workspace& to, int64_t as) {
  const RunNotes notes = kept_notes(from, run);
  if (notes != RunNotes()) static_cast<void>(to.keep(name_of(as), text(notes).toStdString()));
}

}  // namespace shardscope::inline window
