// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/question_box.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QRadioButton>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/lesson/lesson_text.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {

namespace {

QString solution_words(const Question& question) {
  return "The answer is **%1**. %2"_tr.arg(QString::fromStdString(question.right_words()),
                                           QString::fromStdString(question.because));
}

}  // namespace

QuestionBox::QuestionBox(LessonPlayer& player, QWidget* parent)
    : QWidget(parent),
      player_(player),
      text_(lesson_text(this)),
      hint_(form_label("", this)),
      said_(lesson_text(this)),
      rows_(new QVBoxLayout),
      group_(new QButtonGroup(this)),
      number_(new QLineEdit(this)),
      check_(new QPushButton("&Check"_tr, this)),
      reveal_(new QPushButton("Show the &answer"_tr, this)) {
  number_->setAccessibleName("Your answer"_tr);
  check_->setToolTip("Commit to your answer (Enter)"_tr);
  reveal_->setToolTip("The right answer, and why"_tr);
  hint_->setWordWrap(true);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(reveal_);
  buttons->addWidget(check_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(text_);
  layout->addLayout(rows_);
  layout->addWidget(number_);
  layout->addWidget(hint_);
  layout->addLayout(buttons);
  layout->addWidget(said_);
  connect(check_, &QPushButton::clicked, this, &QuestionBox::check);
  connect(number_, &QLineEdit::textChanged, this,
          [this](const QString& text) { check_->setEnabled(!text.trimmed().isEmpty()); });
  connect(group_, &QButtonGroup::idToggled, this, [this] { check_->setEnabled(true); });
  connect(reveal_, &QPushButton::clicked, &player_.learner(), &Learner::reveal);
  connect(&player_, &LessonPlayer::shownChanged, this, &QuestionBox::showStep);
  connect(&player_.learner(), &Learner::changed, this, &QuestionBox::showAnswer);
  showStep();
}

QWidget* QuestionBox::first() const {
  if (isHidden()) return nullptr;
  if (choices_.empty()) return number_;
  return choices_.front();
}

void QuestionBox::setChoices(const Question& question) {
  for (QAbstractButton* old : choices_) {
    group_->removeButton(old);
    old->deleteLater();
    old->hide();
  }
  choices_.clear();
  for (const Choice& choice : question.choices)
    choices_.push_back(makeChoice(QString::fromStdString(choice.text), question.choices.size() == 2));
}

QAbstractButton* QuestionBox::makeChoice(const QString& answer, bool commits) {
  const QString text = QString(answer).replace("&", "&&");
  QAbstractButton* button = nullptr;
  if (commits) {
    button = new QPushButton(text, this);
    connect(button, &QPushButton::clicked, &player_.learner(),
            [this, answer] { player_.learner().answer(answer); });
  } else {
    button = new QRadioButton(text, this);
    group_->addButton(button, static_cast<int>(choices_.size()));
  }
  button->setProperty("answer", answer);
  rows_->addWidget(button);
  return button;
}

void QuestionBox::showStep() {
  const ShownStep* step = player_.shown();
  if (step == nullptr && player_.preparing()) return;
  const bool asks = step != nullptr && step->question;
  setVisible(asks);
  if (!asks) return setChoices({});
  const Question& question = *step->question;
  text_->setText(QString::fromStdString(question.text));
  setChoices(question);
  const bool number = question.choices.empty();
  number_->clear();
  number_->setVisible(number);
  hint_->setVisible(number);
  hint_->setText(QString::fromStdString(wanted_words(question)));
  number_->setAccessibleDescription(hint_->text());
  check_->setEnabled(false);
  check_->setVisible(question.choices.size() != 2);
  showAnswer();
}

void QuestionBox::check() {
  if (!check_->isEnabled()) return;
  if (choices_.empty()) return player_.learner().answer(number_->text());
  if (const QAbstractButton* chosen = group_->checkedButton())
    player_.learner().answer(chosen->property("answer").toString());
}

void QuestionBox::showAnswer() {
  const ShownStep* step = player_.shown();
  if (step == nullptr || !step->question) return;
  const Learner& learner = player_.learner();
  const auto& judged = learner.judgement();
  mark_invalid(number_, !learner.refusal().isEmpty());
  QString words = learner.refusal();
  if (words.isEmpty() && judged) {
    const QString reason = QString::fromStdString(judged->reason);
    words = judged->right        ? "**Right.** %1"_tr.arg(reason)
            : learner.revealed() ? "**Not so.** %1"_tr.arg(reason) + "\n\n" + solution_words(*step->question)
                                 : "**Not yet.** %1 Try once more."_tr.arg(reason);
  }
  said_->setText(words);
  said_->setVisible(!words.isEmpty());
  reveal_->setVisible(judged && !judged->right && !learner.revealed());
}

void QuestionBox::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter) return QWidget::keyPressEvent(event);
  const auto at = std::ranges::find(choices_, QApplication::focusWidget());
  const bool commits = at != choices_.end() && check_->isHidden();
  commits ? (*at)->click() : check();
}

}  // namespace shardscope::inline window
