// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <array>
#include <functional>
#include <map>
#include <vector>

#include "app/window/document/shown_comparison.h"
#include "app/window/document/subject.h"
#include "views/scene/core/selection.h"

namespace shardscope::inline window {

// What of it is another: the shown run, or more is known of it; the moment; what is pointed at; what is
// selected; the marked range.
enum class Changed : uint8_t { run = 1, time = 2, hovered = 4, selected = 8, range = 16 };
Q_DECLARE_FLAGS(WhatChanged, Changed)
Q_DECLARE_OPERATORS_FOR_FLAGS(WhatChanged)

// What is shown of one subject: a run, or several of which it is the first, and where one stands in it.
struct Display {
  ShownRunPtr run;
  ShownComparisonPtr comparison;
  Selection selection;
};

// "wang.os (run 3)", "comparing wang.os (run 3) with auto (run 4)"; of an earlier experiment it says so.
// Empty: nothing is shown.
QString words_of(const Display& display);

// What is shown of each subject, and which of them is in front. What is shown of the others waits until their
// pages are open again, and is not seen meanwhile.
class Displays : public QObject {
  Q_OBJECT
 public:
  const ShownRunPtr& shown() const { return of(subject_).run; }
  // The shown run as the first of several, or none.
  const ShownComparisonPtr& comparison() const { return of(subject_).comparison; }
  const Selection& selection() const { return of(subject_).selection; }
  Subject subject() const { return subject_; }
  const Display& of(Subject subject) const { return places_[static_cast<size_t>(subject)].display; }

  void setSubject(Subject subject);
  // Which runs are of an experiment that was edited since, from now on: shown runs say so
  // (ShownRun::earlier).
  void judge(std::function<bool(const Run&)> is_earlier);
  void showRun(ShownRunPtr shown, Subject of = Subject::runs);  // null: nothing to show
  void showComparison(ShownComparisonPtr comparison);           // with its first run; null: one run again
  // The shown run with its story: the moment and what is selected stay.
  void tell(ShownRunPtr shown, Subject of = Subject::runs);
  // The same runs in another workspace, by the numbers that they had; one that is not there is shown no more.
  void renumber(Subject of, const std::map<int64_t, RunPtr>& runs);

 Q_SIGNALS:
  void changed(WhatChanged what);
  void runChanged();  // before changed() says it too

 protected:
  struct Place {
    Display display;
    std::vector<Selection> history{1};
    size_t at = 0;
  };
  explicit Displays(QObject* parent) : QObject(parent) {}
  Place& place(Subject of) { return places_[static_cast<size_t>(of)]; }
  Place& place() { return place(subject_); }
  void standAt(Subject of, const Selection& selection);  // the history begins with it
  virtual void pause() = 0;                              // what plays
  virtual void takeFront() = 0;                          // another run, or more of it, is in front

 private:
  void tellFront(Subject of, WhatChanged what);

  std::array<Place, 3> places_;  // by subject; that of neither stays empty
  Subject subject_ = Subject::runs;
  std::function<bool(const Run&)> is_earlier_;
};

}  // namespace shardscope::inline window
