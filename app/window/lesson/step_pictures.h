// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QSplitter>
#include <map>

#include "app/report/lesson/compared_runs.h"
#include "app/window/lesson/lesson_player.h"
#include "app/window/runs/program_view.h"
#include "app/window/runs/run_canvas.h"

namespace shardscope::inline window {

// The one or two views of a step: the canvases of a run, on the player's clock, with what the step points at
// outlined; the program where it shows text. Made when a step first asks for them. On a wall they share the
// room so that all of them is seen, and code is a picture.
class StepPictures : public QWidget {
  Q_OBJECT
 public:
  enum class On : bool { page, wall };
  explicit StepPictures(LessonPlayer& player, On on = On::page, QWidget* parent = nullptr);
  void setTheme(const Theme& theme);
  QStringList views() const { return views_; }  // that are to be seen, in their order
  QWidget* view(const QString& id) const;       // null: not made yet

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void readViews();
  void share();  // the room of a wall
  void showStep();
  void cover();
  QWidget* make(const QString& id);
  QWidget* makeKernel();
  QWidget* makeCompared();
  QWidget* makeListing(const QString& id);

  LessonPlayer& player_;
  On on_;
  Theme theme_;
  QSplitter* split_;
  QLabel* nothing_;
  std::unique_ptr<ComparedRuns> compared_;  // null: the step compares none
  std::map<QString, QWidget*> made_;
  QStringList views_;
};

}  // namespace shardscope::inline window
