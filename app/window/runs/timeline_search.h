// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>
#include <QLabel>
#include <QLineEdit>

#include "app/window/document/clock.h"
#include "app/window/runs/event_search.h"

namespace shardscope::inline window {

// The line over a timeline in which events are searched for: hits are counted and walked, Enter on and
// Shift+Enter back. Esc puts it away.
class TimelineSearch : public QFrame {
  Q_OBJECT
 public:
  static constexpr size_t kMostHits = 20'000;

  TimelineSearch(Clock& clock, QWidget* canvas);

  QLineEdit* field() const { return field_; }
  QString count() const { return count_->text(); }  // "3 of 17"
  const std::vector<int32_t>& found() const { return found_.numbers; }
  int at() const { return at_; }  // place in found(); -1: none
  bool on() const { return on_; }
  void begin();
  void end();
  void step(int by);
  void runReplaced();
  void place();  // where it stands on its canvas

 Q_SIGNALS:
  void changed();  // what is found, or where it stands
  void reached(int event);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void look();
  void say();

  Clock& clock_;
  QLineEdit* field_;
  QLabel* count_;
  FoundEvents found_;
  int at_ = -1;
  bool on_ = false;
};

}  // namespace shardscope::inline window
