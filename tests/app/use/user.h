// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QObject>

#include "tests/app/use/hands.h"
#include "tests/app/use/session.h"
#include "tests/app/use/watch.h"

namespace shardscope {

// Who sits before a window that has just opened: comes to rest, uses it, comes to rest again, and says what
// memory was taken at both rests.
class User : public QObject {
 public:
  User(MainWindow& window, const SessionOptions& options, const SessionLog& log);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  enum class Phase { opening, warming, first_rest, using_it, last_rest, ended };

  void later(int ms);
  void go();
  bool acts() const;  // it is time for an action
  void act();
  void stopWork();
  void showSmallThings();
  bool resting();
  void next();
  void go(Phase phase, const char* said);

  MainWindow& window_;
  const SessionOptions options_;
  const SessionLog& log_;
  Hands hands_;
  Watch watch_;
  Phase phase_ = Phase::opening;
  QElapsedTimer since_, sampled_;
  int64_t action_ = 0;
  int depth_ = -1;  // of event loops, while an action is under way; -1: none is
};

}  // namespace shardscope
