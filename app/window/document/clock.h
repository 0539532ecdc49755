// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <vector>

#include "app/window/document/shown_run.h"
#include "views/scene/core/selection.h"

namespace shardscope {

// The one moment, hover and selection that all views share, and the run they show. Views read selection()
// when changed() says so; whoever wants to change it calls a function here.
class Clock : public QObject {
  Q_OBJECT
 public:
  explicit Clock(QObject* parent = nullptr);

  const ShownRunPtr& shown() const { return shown_; }
  const ShownRunPtr& other() const { return other_; }  // the B of an A/B comparison, or none
  const Selection& selection() const { return selection_; }
  int stepCount() const { return shown_ ? static_cast<int>(shown_->steps.size()) : 0; }
  bool playing() const { return timer_.isActive(); }
  double speed() const { return speed_; }

  void showRun(ShownRunPtr shown);  // null: nothing to show
  void compareWith(ShownRunPtr other);
  void setStep(int step);
  void stepBy(int by);
  void play(bool on);
  void setSpeed(double speed);
  void setReduceMotion(bool on) { reduce_motion_ = on; }
  void hover(const ItemId& item);
  void select(const ItemId& item);  // goes to the item's step too, and into the history
  void setRange(std::optional<TimeRange> range);
  void clear();  // Esc: nothing selected, no range
  bool canGoBack() const { return place_ > 0; }
  bool canGoForward() const { return place_ + 1 < history_.size(); }
  void back();
  void forward();

 Q_SIGNALS:
  void changed();
  void runChanged();
  void playingChanged(bool on);

 private:
  void tick();
  void go(size_t place);
  void remember();

  ShownRunPtr shown_, other_;
  Selection selection_;
  std::vector<Selection> history_;
  size_t place_ = 0;
  QTimer timer_;
  QElapsedTimer since_;
  double speed_ = 1;
  bool reduce_motion_ = false;
};

}  // namespace shardscope
