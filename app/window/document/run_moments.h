// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/document/moments.h"
#include "app/window/document/narrator.h"

namespace shardscope::inline window {

// The beats of the clock's run.
class RunMoments : public Moments {
  Q_OBJECT
 public:
  RunMoments(Clock& clock, const Preferences& preferences, QObject* parent = nullptr);

  QString who() const override;
  QString words() const override;
  QString sentence() const override { return narrator_.sentence(); }
  int at() const override { return clock_.beat(); }
  int last() const override { return clock_.beatCount(); }
  void goTo(int step) override { clock_.setBeat(step); }
  void stepBy(int by) override { clock_.player().stepBy(by); }
  bool playing() const override { return clock_.player().playing(); }
  void play(bool on) override { clock_.player().play(on); }
  double speed() const override { return clock_.player().speed(); }
  void setSpeed(double speed) override { clock_.player().setSpeed(speed); }
  bool ofExperiment() const override { return clock_.subject() != Subject::neither; }
  Details details() const override;
  void select(const ItemId& item) override { clock_.select(item); }

 private:
  Clock& clock_;
  Narrator narrator_;
};

}  // namespace shardscope::inline window
