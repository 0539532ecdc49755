// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/mark_control.h"

#include <utility>

namespace shardscope::inline window {

QJsonObject to_json(const TimelineViewport& viewport) {
  return {{"start", static_cast<qint64>(viewport.range.start)},
          {"end", static_cast<qint64>(viewport.range.end)},
          {"scroll", viewport.scroll_y},
          {"collapse", viewport.collapse_equal},
          {"arrows", viewport.arrows},
          {"rows", to_json(viewport.rows)}};
}

TimelineViewport read_viewport(const QJsonObject& in) {
  TimelineViewport out;
  out.range = {in["start"].toInteger(), in["end"].toInteger()};
  out.scroll_y = static_cast<float>(in["scroll"].toDouble());
  out.collapse_equal = in["collapse"].toBool(out.collapse_equal);
  out.arrows = in["arrows"].toBool(out.arrows);
  out.rows = read_rows(in["rows"].toObject());
  return out;
}

MarkControl::MarkControl(RunCanvas& canvas, Clock& clock, TimelineViewport& viewport, RowControl& rows,
                         std::function<void(int32_t)> reached)
    : canvas_(canvas),
      viewport_(viewport),
      rows_(rows),
      measuring_(clock),
      search_(new TimelineSearch(clock, &canvas)) {
  connect(search_, &TimelineSearch::changed, this, [this] { canvas_.invalidate(); });
  connect(search_, &TimelineSearch::reached, this, std::move(reached));
  canvas.installEventFilter(this);
}

void MarkControl::setNotes(Notes& notes) {
  notes_ = &notes;
  connect(notes_, &Notes::changed, this, &MarkControl::readNotes);
  readNotes();
}

void MarkControl::readNotes() {
  if (notes_ == nullptr) return;
  marks_.flags.clear();
  for (const Note& note : notes_->now().notes)
    marks_.flags.push_back({note.time, note.device, note.text.toStdString()});
  restore(notes_->now().bookmarks);
}

const TimelineMarks& MarkControl::now() {
  marks_.found = search_->found();
  marks_.at = search_->at();
  marks_.hint = measuring_.hint();
  return marks_;
}

QStringList MarkControl::tooltip(const ItemId& item) const {
  if (item.kind != ItemId::Kind::handle || item.lane != kNoteHandle) return {};
  const auto place = static_cast<size_t>(item.index);
  return place < marks_.flags.size() ? QStringList(QString::fromStdString(marks_.flags[place].text))
                                     : QStringList();
}

bool MarkControl::clicked(const ItemId& item, Picoseconds at) {
  if (measuring_.on()) {
    measuring_.point(item, at);
    canvas_.invalidate();
    return true;
  }
  const bool note = item.kind == ItemId::Kind::handle && item.lane == kNoteHandle;
  if (note && notes_ != nullptr) notes_->go(item.index);
  return note;
}

bool MarkControl::escape() {
  if (measuring_.on()) {
    measuring_.end();
    canvas_.invalidate();
    return true;
  }
  if (!search_->on()) return false;
  search_->end();
  return true;
}

// n and N walk the hits of a search, and begin one when there is none.
bool MarkControl::key(const QKeyEvent& event) {
  switch (event.key()) {
    case Qt::Key_Escape:
      return escape();
    case Qt::Key_M:
      measuring_.key();
      canvas_.invalidate();
      return true;
    case Qt::Key_N:
      if (!search_->on()) {
        search_->begin();
      } else {
        search_->step(event.modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
      }
      return true;
    default:
      return bookmark(event);
  }
}

void MarkControl::runReplaced() {
  bookmarks_.clear();
  measuring_.forget();
  search_->runReplaced();
  readNotes();
}

void MarkControl::runTold() {
  search_->runReplaced();
}

QJsonObject MarkControl::bookmarks() const {
  QJsonObject out;
  for (const auto& [digit, viewport] : bookmarks_) out[QString::number(digit)] = to_json(viewport);
  return out;
}

// Those of the workspace come before those that a window's state has.
void MarkControl::restore(const QJsonObject& bookmarks) {
  const bool kept = notes_ != nullptr && !notes_->now().bookmarks.isEmpty();
  const QJsonObject& from = kept ? notes_->now().bookmarks : bookmarks;
  bookmarks_.clear();
  for (const QString& digit : from.keys()) bookmarks_[digit.toInt()] = read_viewport(from[digit].toObject());
  canvas_.invalidate();
}

bool MarkControl::bookmark(const QKeyEvent& event) {
  const int digit = event.key() - Qt::Key_0;
  if (digit < 1 || digit > 9) return false;
  if (event.modifiers().testFlag(Qt::ControlModifier)) {
    bookmarks_[digit] = viewport_;
    if (notes_ != nullptr) notes_->setBookmark(digit, to_json(viewport_));
    Q_EMIT canvas_.stateChanged();
  } else if (const auto found = bookmarks_.find(digit); found != bookmarks_.end()) {
    viewport_ = found->second;
    rows_.restored();
  }
  return true;
}

bool MarkControl::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && search_->on()) search_->place();
  return QObject::eventFilter(watched, event);
}

}  // namespace shardscope::inline window
