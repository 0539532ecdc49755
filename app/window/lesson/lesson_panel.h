// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>

#include "app/window/lesson/lesson_chooser.h"
#include "app/window/lesson/lesson_player.h"
#include "app/window/lesson/step_editor.h"
#include "app/window/lesson/step_list.h"
#include "app/window/lesson/step_pictures.h"
#include "app/window/lesson/step_reader.h"

namespace shardscope::inline window {

// The Lesson page: the lessons there are; of the one that is open its steps, the pictures of this step, and
// at the side what it says and asks.
class LessonPanel : public QWidget {
  Q_OBJECT
 public:
  explicit LessonPanel(QWidget* parent = nullptr);

  LessonDocument& document() { return document_; }
  LessonPlayer& player() { return player_; }
  QUndoStack& undoStack() { return document_.undoStack(); }
  LessonChooser* chooser() { return chooser_; }
  StepReader* reader() { return reader_; }
  StepPictures* pictures() { return pictures_; }
  StepList* steps() { return steps_; }
  QToolButton* nextButton() { return next_; }
  StepEditor* editor() { return editor_; }
  QToolButton* editButton() { return edit_; }       // shows the editor
  QString place() const { return place_->text(); }  // "A ring · 4 of 17"

  void setTheme(const Theme& theme);
  JobBar* job() { return reader_->job(); }
  void run() { player_.again(); }
  QJsonObject state() const;  // with the lesson itself: what is edited is not lost
  void restore(const QJsonObject& state);

 Q_SIGNALS:
  void lessonsRequested();  // instead of the one that is open
  void stateChanged();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* makeHead();
  void showLesson();
  void showStep();
  void focusStep();

  LessonDocument document_;
  LessonPlayer player_;
  QStackedWidget* pages_;
  LessonChooser* chooser_;
  QLabel* place_;
  QToolButton *steps_button_, *edit_, *all_, *again_, *previous_, *next_;
  StepList* steps_;
  StepPictures* pictures_;
  StepReader* reader_;
  StepEditor* editor_;
  bool focused_ = false;  // before the step was prepared
};

}  // namespace shardscope::inline window
