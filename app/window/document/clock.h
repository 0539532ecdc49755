// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <type_traits>
#include <vector>

#include "app/window/document/run_player.h"
#include "app/window/document/shown_comparison.h"
#include "views/scene/core/selection.h"

namespace shardscope {

// What of it is another: the shown run, or more is known of it; the moment; what is pointed at; what is
// selected; the marked range.
enum class Changed : uint8_t { run = 1, time = 2, hovered = 4, selected = 8, range = 16 };
Q_DECLARE_FLAGS(WhatChanged, Changed)
Q_DECLARE_OPERATORS_FOR_FLAGS(WhatChanged)

// The one moment, hover and selection that all views share, and the run they show. Views read selection()
// when changed() says so; whoever wants to change it calls a function here.
class Clock : public QObject {
  Q_OBJECT
 public:
  explicit Clock(QObject* parent = nullptr);

  const ShownRunPtr& shown() const { return shown_; }
  // The shown run as the first of several, or none.
  const ShownComparisonPtr& comparison() const { return comparison_; }
  const Selection& selection() const { return selection_; }
  const Story* story() const { return shown_ ? shown_->story.get() : nullptr; }
  int beat() const { return story() ? story()->beat_at(selection_.time) : 0; }  // the last that has ended
  int beatCount() const { return story() ? static_cast<int>(story()->beats().size()) - 1 : 0; }
  RunPlayer& player() { return player_; }  // its time is the selection's

  void showRun(ShownRunPtr shown);                     // null: nothing to show
  void showComparison(ShownComparisonPtr comparison);  // with its first run; null: one run again
  void tell(ShownRunPtr shown);  // the shown run with its story: the moment and what is selected stay
  void setBeat(int beat);        // to its end; 0: before anything has happened
  void restore(const Selection& selection);  // of the shown run, as it was; the history begins with it
  void hover(const ItemId& item);
  void select(const ItemId& item);  // goes to a moment inside the item too, and into the history
  void setRange(std::optional<TimeRange> range);
  void clear();  // Esc: nothing selected, no range
  void back();   // to the selection before this one, where there is one
  void forward();
  // Calls `read` of `who` when one of `which` has changed.
  template <class Reader>
  void tellOf(WhatChanged which, std::type_identity_t<Reader>* who, void (Reader::*read)()) {
    connect(this, &Clock::changed, who, [which, who, read](WhatChanged what) {
      if (what.testAnyFlags(which)) (who->*read)();
    });
  }

 Q_SIGNALS:
  void changed(WhatChanged what);
  void runChanged();  // before changed() says it too

 private:
  void stand(Picoseconds time);
  void go(size_t place);
  void remember();

  void standOn(ShownRunPtr shown);

  ShownRunPtr shown_;
  ShownComparisonPtr comparison_;
  Selection selection_;
  std::vector<Selection> history_;
  size_t place_ = 0;
  RunPlayer player_;
};

}  // namespace shardscope
