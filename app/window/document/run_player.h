// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "app/window/document/player.h"
#include "engine/base/units.h"

namespace shardscope::inline window {

// The moment of a run, moved by hand or, while it plays, by itself up to the end.
class RunPlayer : public QObject {
  Q_OBJECT
 public:
  // A beat a second, or in proportion to time, the whole run in as many seconds as it has beats.
  enum class Pace { beats, time };

  explicit RunPlayer(QObject* parent = nullptr);

  Picoseconds time() const { return time_; }
  bool playing() const { return player_.playing(); }
  Pace pace() const { return pace_; }

  void setEnds(std::vector<Picoseconds> ends);  // of beats, ascending; stops, at the first
  void setTime(Picoseconds time);               // stops
  void stepBy(int by);  // to the next (or an earlier) end of a beat; those that end together are one step
  void play(bool on) { player_.play(on); }
  // Plays the next beat and stands at its end. Asked again before it is there, it is there, and plays the one
  // after.
  void playBeat();
  void setPace(Pace pace);
  void setSecondsPerBeat(double seconds) { player_.setSecondsPerStep(seconds); }
  double speed() const { return player_.speed(); }
  void setSpeed(double speed);  // one of Player::speeds(), or the nearest
  void setReduceMotion(bool on) { player_.setReduceMotion(on); }

 Q_SIGNALS:
  void changed();
  void playingChanged(bool on);
  void speedChanged(double speed);

 private:
  void readPlayer();
  void placePlayer();
  double placeOf(Picoseconds time) const;  // on the player's scale

  std::vector<Picoseconds> ends_{0};
  Picoseconds time_ = 0;
  Pace pace_ = Pace::beats;
  std::optional<Picoseconds> playing_to_;  // the end of the beat that is played alone
  Player player_;                          // its steps are the ends of beats
};

}  // namespace shardscope::inline window
