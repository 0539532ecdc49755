// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/run_player.h"

#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

namespace shardscope::inline window {
namespace {

constexpr double kSecondsPerBeat = 1;

}  // namespace

RunPlayer::RunPlayer(QObject* parent) : QObject(parent), player_(kSecondsPerBeat) {
  connect(&player_, &Player::changed, this, [this] {
    readPlayer();
    Q_EMIT changed();
  });
  connect(&player_, &Player::playingChanged, this, [this](bool on) {
    if (!on) playing_to_.reset();
    Q_EMIT playingChanged(on);
  });
  connect(&player_, &Player::speedChanged, this, &RunPlayer::speedChanged);
}

void RunPlayer::setSpeed(double speed) {
  player_.setSpeed(*std::ranges::min_element(Player::speeds(), {},
                                             [speed](double each) { return std::abs(each - speed); }));
}

void RunPlayer::playBeat() {
  if (playing_to_) setTime(Picoseconds{*playing_to_});
  const auto next = std::upper_bound(ends_.begin(), ends_.end(), time_);
  if (next == ends_.end()) return setTime(ends_.back());
  const Picoseconds to = *next;
  player_.playTo(placeOf(to));
  if (player_.playing())
    playing_to_ = to;
  else
    setTime(to);
}

void RunPlayer::readPlayer() {
  const double position = player_.position();
  const auto last = static_cast<double>(ends_.size() - 1);
  if (pace_ == Pace::time && last > 0) {
    time_ = std::llround(position / last * static_cast<double>(ends_.back()));
    return;
  }
  const auto whole = static_cast<size_t>(std::floor(position));
  time_ = ends_[whole];
  if (whole + 1 < ends_.size()) {
    time_ += static_cast<Picoseconds>((position - static_cast<double>(whole)) *
                                      static_cast<double>(ends_[whole + 1] - ends_[whole]));
  }
}

// The player goes to where the moment stands on its scale, without saying so.
void RunPlayer::placePlayer() {
  const QSignalBlocker quiet(player_);
  player_.setPosition(placeOf(time_));
}

double RunPlayer::placeOf(Picoseconds moment) const {
  const auto time = static_cast<double>(moment);
  if (pace_ == Pace::time) {
    const auto total = static_cast<double>(std::max<Picoseconds>(1, ends_.back()));
    return time / total * static_cast<double>(ends_.size() - 1);
  }
  const auto after = std::upper_bound(ends_.begin(), ends_.end(), moment);
  const auto before = static_cast<size_t>(std::max<std::ptrdiff_t>(1, after - ends_.begin()) - 1);
  auto position = static_cast<double>(before);
  if (after != ends_.end())
    position += (time - static_cast<double>(ends_[before])) / static_cast<double>(*after - ends_[before]);
  return position;
}

void RunPlayer::setEnds(std::vector<Picoseconds> ends) {
  playing_to_.reset();
  player_.play(false);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  ends_ = std::move(ends);
  const bool any = !ends_.empty();
  if (!any) ends_ = {0};
  time_ = ends_.front();
  {
    const QSignalBlocker quiet(player_);
    player_.setLast(any ? std::ssize(ends_) - 1 : -1);
  }
  placePlayer();
}

void RunPlayer::setTime(Picoseconds time) {
  playing_to_.reset();
  player_.play(false);
  time_ = std::clamp(time, ends_.front(), ends_.back());
  placePlayer();
  Q_EMIT changed();
}

void RunPlayer::stepBy(int by) {
  const auto after = std::upper_bound(ends_.begin(), ends_.end(), time_) - ends_.begin();
  const auto before = std::lower_bound(ends_.begin(), ends_.end(), time_) - ends_.begin();
  const std::ptrdiff_t wanted = by > 0 ? after + by - 1 : before + by;
  setTime(ends_[static_cast<size_t>(std::clamp<std::ptrdiff_t>(wanted, 0, std::ssize(ends_) - 1))]);
}

void RunPlayer::setPace(Pace pace) {
  if (pace == pace_) return;
  pace_ = pace;
  placePlayer();
}

}  // namespace shardscope::inline window
