// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include "app/window/chip/kernel_choice.h"
#include "app/window/document/player.h"

namespace shardscope::inline window {

// The moment of a schedule that the kernel dock shows, and the finding looked at. Whoever wants to change
// them calls a function here; views read when changed() says so.
class KernelPlayer : public QObject {
  Q_OBJECT
 public:
  explicit KernelPlayer(QObject* parent = nullptr);

  const ShownKernelPtr& shown() const { return shown_; }
  bool canStep() const { return shown_ && shown_->replay; }
  int64_t step() const { return player_.step(); }
  int64_t steps() const { return canStep() ? shown_->replay->steps() : 0; }
  const KernelFrame& frame() const { return frame_; }
  const std::vector<KernelFinding>& findings() const;  // of the whole schedule
  const KernelFinding* finding() const;                // looked at, null: none
  int findingPlace() const { return finding_; }        // in findings(), -1: none
  bool playing() const { return player_.playing(); }

  void show(ShownKernelPtr shown);  // from its first step; null: nothing
  void setStep(int64_t step) { player_.setStep(step); }
  void stepBy(int64_t by) { player_.stepBy(by); }
  void play(bool on) { player_.play(on); }
  double speed() const { return player_.speed(); }
  void setSpeed(double speed) { player_.setSpeed(speed); }
  void lookAt(int finding);  // goes to where it was noticed; -1: none
  void lookAtNext(int by);   // of the findings after (by = 1) or before this one, round and round

 Q_SIGNALS:
  void changed();
  void kernelChanged();
  void playingChanged(bool on);
  void speedChanged(double speed);

 private:
  void readFrame();

  ShownKernelPtr shown_;
  KernelFrame frame_;
  int finding_ = -1;
  Player player_;
};

}  // namespace shardscope::inline window
