// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <vector>

#include "app/window/document/player.h"
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
  bool playing() const { return player_.playing(); }
  Player& player() { return player_; }  // its step is the selection's

  void showRun(ShownRunPtr shown);  // null: nothing to show
  void compareWith(ShownRunPtr other);
  void setStep(int step) { player_.setStep(step); }
  void stepBy(int by) { player_.stepBy(by); }
  void play(bool on) { player_.play(on); }
  void hover(const ItemId& item);
  void select(const ItemId& item);  // goes to the item's step too, and into the history
  void setRange(std::optional<TimeRange> range);
  void clear();  // Esc: nothing selected, no range
  void back();  // to the selection before this one, where there is one
  void forward();

 Q_SIGNALS:
  void changed();
  void runChanged();

 private:
  void readPlayer();
  void stand(int32_t step);
  void go(size_t place);
  void remember();

  ShownRunPtr shown_, other_;
  Selection selection_;
  std::vector<Selection> history_;
  size_t place_ = 0;
  Player player_;
};

}  // namespace shardscope
