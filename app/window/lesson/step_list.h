// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QListWidget>

#include "app/window/lesson/lesson_player.h"

namespace shardscope::inline window {

// The steps of a lesson, the one that is played in front; dragging moves one.
class StepList : public QListWidget {
  Q_OBJECT
 public:
  StepList(LessonDocument& document, LessonPlayer& player, QWidget* parent = nullptr);
  void addQuestion();  // behind this step, about what it shows
  void deleteStep();   // the last one stays
  void moveStep(int by);

 private:
  void fill();
  void fillShown();  // the step that is played, with its numbers
  void select();
  void move(int from, int to);

  LessonDocument& document_;
  LessonPlayer& player_;
};

}  // namespace shardscope::inline window
