// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QKeyEvent>
#include <functional>
#include <map>

#include "app/window/document/notes.h"
#include "app/window/runs/measuring.h"
#include "app/window/runs/row_control.h"
#include "app/window/runs/timeline_search.h"

namespace shardscope::inline window {

QJsonObject to_json(const TimelineViewport& viewport);
TimelineViewport read_viewport(const QJsonObject& in);

// What stands on a timeline beside the run: what a search found, notes, bookmarks, and what is being
// measured.
class MarkControl : public QObject {
  Q_OBJECT
 public:
  // `reached`: an event is to be gone to.
  MarkControl(RunCanvas& canvas, Clock& clock, TimelineViewport& viewport, RowControl& rows,
              std::function<void(int32_t)> reached);

  TimelineSearch& search() { return *search_; }
  void setNotes(Notes& notes);  // its flags, and where bookmarks are kept
  const TimelineMarks& now();
  QStringList tooltip(const ItemId& item) const;     // empty: it is no note
  bool clicked(const ItemId& item, Picoseconds at);  // true: it was a point to measure, or a note
  bool key(const QKeyEvent& event);                  // true: it was one of these
  bool escape();  // ends measuring, else the search; false: neither was under way
  void runReplaced();
  void runTold();
  QJsonObject bookmarks() const;
  void restore(const QJsonObject& bookmarks);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void readNotes();
  bool bookmark(const QKeyEvent& event);

  RunCanvas& canvas_;
  TimelineViewport& viewport_;
  RowControl& rows_;
  Measuring measuring_;
  TimelineSearch* search_;
  Notes* notes_ = nullptr;
  TimelineMarks marks_;  // as of the last picture
  std::map<int, TimelineViewport> bookmarks_;
};

}  // namespace shardscope::inline window
