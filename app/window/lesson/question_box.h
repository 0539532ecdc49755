// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QButtonGroup>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <vector>

#include "app/window/lesson/lesson_player.h"

namespace shardscope::inline window {

// The question of a step: its choices, or a field for a number with its unit; Check or Enter commits. Of two
// choices each is a button that commits. A wrong answer gets its reason and another try, the second one the
// solution.
class QuestionBox : public QWidget {
  Q_OBJECT
 public:
  explicit QuestionBox(LessonPlayer& player, QWidget* parent = nullptr);
  const std::vector<QAbstractButton*>& choices() const { return choices_; }
  QLineEdit* number() { return number_; }
  QPushButton* checkButton() { return check_; }
  QPushButton* revealButton() { return reveal_; }
  QString said() const { return said_->isHidden() ? QString() : said_->text(); }
  QWidget* first() const;  // to answer with; null: nothing is asked

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void showStep();
  void showAnswer();
  void check();
  void setChoices(const Question& question);
  QAbstractButton* makeChoice(const QString& answer, bool commits);

  LessonPlayer& player_;
  QLabel *text_, *hint_, *said_;
  QVBoxLayout* rows_;
  QButtonGroup* group_;
  std::vector<QAbstractButton*> choices_;
  QLineEdit* number_;
  QPushButton *check_, *reveal_;
};

}  // namespace shardscope::inline window
