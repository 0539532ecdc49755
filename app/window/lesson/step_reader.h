// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>

#include "app/window/chip/move_list.h"
#include "app/window/lesson/lesson_player.h"
#include "app/window/lesson/question_box.h"
#include "app/window/lesson/try_form.h"
#include "app/window/widgets/job_bar.h"

namespace shardscope::inline window {

// A step as it is read: what it says, its question, what may be tried, what is wrong with it, and the notes
// of who presents, which are folded away.
class StepReader : public QWidget {
  Q_OBJECT
 public:
  explicit StepReader(LessonPlayer& player, QWidget* parent = nullptr);
  QString text() const { return text_->text(); }
  QString faults() const { return faults_->isHidden() ? QString() : faults_->text(); }
  QuestionBox* question() { return question_; }
  TryForm* tries() { return try_; }
  MoveList* moves() { return moves_; }  // of a kernel whose schedule the class chooses
  QToolButton* notesButton() { return notes_button_; }
  QString notes() const { return notes_->isHidden() ? QString() : notes_->text(); }
  JobBar* job() { return job_; }

 private:
  void showStep();
  void showMoves();
  void choose(int place);

  LessonPlayer& player_;
  QLabel *text_, *faults_, *notes_;
  QuestionBox* question_;
  TryForm* try_;
  MoveList* moves_;
  QToolButton* notes_button_;
  JobBar* job_;
};

// What is wrong with a step, a line each.
QString fault_words(const ShownStep& step);

}  // namespace shardscope::inline window
