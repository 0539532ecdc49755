// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace shardscope {

// One step of several, moved by hand or, while it plays, by itself up to the last one. Between two steps it
// says how far it is, unless motion is to be reduced: then it jumps.
class Player : public QObject {
  Q_OBJECT
 public:
  // `seconds_per_step` at speed 1.
  explicit Player(double seconds_per_step, QObject* parent = nullptr);

  int64_t step() const { return step_; }
  double fraction() const { return fraction_; }  // of the way into the step; 1 when standing
  int64_t last() const { return last_; }         // -1: there is nothing to step through
  bool playing() const { return timer_.isActive(); }

  void setLast(int64_t last);  // stops; the step stays where it can
  void setStep(int64_t step);  // the nearest one that there is
  void stepBy(int64_t by) { setStep(step_ + by); }
  void play(bool on);  // from the first step again, when it stands at the last
  void setSpeed(double speed) { speed_ = speed; }
  void setReduceMotion(bool on) { reduce_motion_ = on; }

 Q_SIGNALS:
  void changed();
  void playingChanged(bool on);

 private:
  void tick();
  void begin(int64_t step);

  const double seconds_per_step_;
  int64_t step_ = 0, last_ = -1;
  double fraction_ = 1, speed_ = 1;
  bool reduce_motion_ = false;
  QTimer timer_;
  QElapsedTimer since_;
};

}  // namespace shardscope
