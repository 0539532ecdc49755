// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QListWidget>
#include <QPushButton>
#include <QWidget>
#include <vector>

#include "engine/session/lessons/lesson_presets.h"

namespace shardscope::inline window {

// A lesson in the list: what opens it, and the step that was reached.
struct ListedLesson {
  LessonPreset lesson;
  QString open;
  int reached = 0;
};

// The lessons that there are, to choose one of, or to begin one's own.
class LessonChooser : public QWidget {
  Q_OBJECT
 public:
  explicit LessonChooser(QWidget* parent = nullptr);
  QListWidget* list() { return list_; }
  QPushButton* goOnButton() { return go_on_; }
  void setLessons(const std::vector<ListedLesson>& lessons);

 Q_SIGNALS:
  void chosen(const QString& name);
  void goOnRequested(const QString& name, int step);
  void newRequested();
  void fileRequested();

 private:
  void showReached();

  QListWidget* list_;
  QPushButton *open_, *go_on_, *new_, *file_;
};

}  // namespace shardscope::inline window
