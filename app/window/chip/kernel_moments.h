// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/chip/kernel_canvas.h"
#include "app/window/document/moments.h"

namespace shardscope::inline window {

// The steps of the schedule that the kernel dock shows.
class KernelMoments : public Moments {
  Q_OBJECT
 public:
  KernelMoments(KernelPlayer& player, KernelCanvas& canvas, QObject* parent = nullptr);

  QString who() const override;
  QString words() const override;
  QString sentence() const override;
  int at() const override { return static_cast<int>(player_.step()); }
  int last() const override { return static_cast<int>(player_.steps()); }
  void goTo(int step) override { player_.setStep(step); }
  void stepBy(int by) override { player_.stepBy(by); }
  bool playing() const override { return player_.playing(); }
  void play(bool on) override { player_.play(on); }
  double speed() const override { return player_.speed(); }
  void setSpeed(double speed) override { player_.setSpeed(speed); }
  bool timed() const override { return false; }
  std::vector<int> marks() const override;
  Details details() const override;
  void select(const ItemId& item) override { canvas_.follow(item); }

  void setBusy(bool busy);  // another schedule is being made

 private:
  KernelPlayer& player_;
  KernelCanvas& canvas_;
  bool busy_ = false;
};

}  // namespace shardscope::inline window
