// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <vector>

namespace shardscope::inline window {

// A place on a scale of steps, moved by hand or, while it plays, by itself up to the last one. It may be
// between two steps, unless motion is to be reduced: then it jumps.
class Player : public QObject {
  Q_OBJECT
 public:
  // `seconds_per_step` at speed 1.
  explicit Player(double seconds_per_step, QObject* parent = nullptr);
  void setSecondsPerStep(double seconds) { seconds_per_step_ = seconds; }

  double position() const { return position_; }  // 2.25: a quarter of the way from step 2 to step 3
  int64_t step() const;                          // reached or on the way to
  double fraction() const;                       // of the way into the step; 1 when it is reached
  int64_t last() const { return last_; }         // -1: there is nothing to step through
  bool playing() const { return timer_.isActive(); }

  void setLast(int64_t last);  // stops; the position stays where it can
  void setStep(int64_t step) { setPosition(static_cast<double>(step)); }
  void setPosition(double position);  // the nearest one that there is
  void stepBy(int64_t by) { setStep(step() + by); }
  void play(bool on);  // from the first step again, when it stands at the last
  // Plays on to there and stops; at once when motion is reduced. What lies behind is gone to.
  void playTo(double position);
  double speed() const { return speed_; }
  void setSpeed(double speed);
  static const std::vector<double>& speeds();  // that a run may be played at
  void setReduceMotion(bool on) { reduce_motion_ = on; }

 Q_SIGNALS:
  void changed();
  void playingChanged(bool on);
  void speedChanged(double speed);

 private:
  void tick();
  void start(double until);

  double seconds_per_step_;
  double position_ = 0, speed_ = 1;
  double until_ = 0;  // where playing stops
  double way_ = 0;    // played since the last jump, when motion is reduced
  int64_t last_ = -1;
  bool reduce_motion_ = false;
  QTimer timer_;
  QElapsedTimer since_;
};

}  // namespace shardscope::inline window
