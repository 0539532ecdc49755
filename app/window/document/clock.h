// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <type_traits>

#include "app/window/document/displays.h"
#include "app/window/document/run_player.h"

namespace shardscope::inline window {

// The one moment, hover and selection that all views share, and the run they show: those of the subject in
// front. Views read selection() when changed() says so; whoever wants to change it calls a function here.
class Clock : public Displays {
  Q_OBJECT
 public:
  explicit Clock(QObject* parent = nullptr);

  const Story* story() const { return shown() ? shown()->story.get() : nullptr; }
  int beat() const { return story() ? story()->beat_at(selection().time) : 0; }  // the last that has ended
  int beatCount() const { return story() ? static_cast<int>(story()->beats().size()) - 1 : 0; }
  RunPlayer& player() { return player_; }  // its time is the selection's

  void setBeat(int beat);  // to its end; 0: before anything has happened
  // Of the shown run, as it was; the history begins with it.
  void restore(const Selection& selection, Subject of = Subject::runs);
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

 private:
  void stand(Picoseconds time);
  void go(size_t at);
  void remember();
  void pause() override { player_.play(false); }
  void takeFront() override;
  Selection& now() { return place().display.selection; }

  RunPlayer player_;
};

}  // namespace shardscope::inline window
