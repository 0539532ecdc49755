// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/lesson/lesson_player.h"
#include "app/window/lesson/step_pictures.h"
#include "app/window/present/talk.h"

namespace shardscope::inline window {

// The steps of a lesson, from 1. Going on from a question shows its answer first, then the next step.
class LessonTalk : public Talk {
  Q_OBJECT
 public:
  LessonTalk(LessonPlayer& player, Moments& moments, QObject* parent = nullptr);

  int at() const override { return player_.step() + 1; }
  int last() const override { return player_.stepCount(); }
  void goOn() override;
  void goBack() override;
  void goTo(int step) override { player_.goTo(step - 1); }
  QString said() const override;
  QStringList sayings() const override;
  QString next() const override;
  QString note() const override;
  QString answer() const override;
  double minutes() const override { return static_cast<double>(player_.lesson().minutes); }
  QString title() const override;
  QString subject() const override;
  Moments& moments() override { return moments_; }
  void again() override { player_.replay(); }
  QWidget* pictures(QWidget* parent) override;
  void setTheme(const Theme& theme) override;

 private:
  void stepChanged();

  LessonPlayer& player_;
  Moments& moments_;
  QPointer<StepPictures> pictures_;
  int step_ = 0;           // that the answer is of
  bool answered_ = false;  // shown to the class
};

}  // namespace shardscope::inline window
