// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/document/run_moments.h"
#include "app/window/lesson/lesson_player.h"

namespace shardscope::inline window {

// Those of the picture that the lesson's step shows: of a run, or of a kernel. What it hides is covered.
class LessonMoments : public Moments {
  Q_OBJECT
 public:
  LessonMoments(LessonPlayer& player, const Preferences& preferences, QObject* parent = nullptr);

  QString who() const override;
  QString words() const override;
  QString sentence() const override;
  int at() const override;
  int last() const override;
  void goTo(int step) override;
  void stepBy(int by) override;
  bool playing() const override;
  void play(bool on) override;
  double speed() const override { return run_.speed(); }
  void setSpeed(double speed) override;
  bool timed() const override { return kernel() == nullptr; }
  bool press(int key);  // one of its own keys; false: it has none of that

 private:
  const NamedKernel* kernel() const;  // null: the step shows none
  QString covered(const QString& text) const;

  LessonPlayer& player_;
  RunMoments run_;
};

}  // namespace shardscope::inline window
