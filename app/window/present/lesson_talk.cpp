// SPDX-License-Identifier: Apache-2.0
#include "app/window/present/lesson_talk.h"

#include <QRegularExpression>

#include "app/window/document/language.h"
#include "app/window/lesson/lesson_text.h"
#include "engine/report/page/markdown_html.h"
#include "views/scene/story/presented_bands.h"

namespace shardscope {
namespace {

QString plain(const std::string& text) {
  return QString::fromStdString(markdown_words(text));
}

// A step as it is written: its numbers are not computed yet.
QString written(const LessonStep& step) {
  const std::string& text = !step.say.empty() ? step.say : !step.ask.empty() ? step.ask : step.attempt;
  static const QRegularExpression kExpression(R"(\{[^{}]*\})");
  return plain(text).replace(kExpression, "…");
}

QString question_words(const Question& question) {
  QStringList choices;
  for (const Choice& choice : question.choices) choices << QString::fromStdString(choice.text);
  return plain(question.text) + "  (" +
         (choices.isEmpty() ? QString::fromStdString(wanted_words(question)) : choices.join(" · ")) + ")";
}

}  // namespace

LessonTalk::LessonTalk(LessonPlayer& player, QObject* parent)
    : Talk(parent), player_(player), step_(player.step()) {
  connect(&player_, &LessonPlayer::stepChanged, this, &LessonTalk::stepChanged);
  connect(&player_, &LessonPlayer::shownChanged, this, &Talk::changed);
}

void LessonTalk::stepChanged() {
  if (step_ != player_.step()) answered_ = false;
  step_ = player_.step();
  Q_EMIT changed();
}

void LessonTalk::goOn() {
  const ShownStep* step = player_.shown();
  if (step != nullptr && step->question && !answered_) {
    answered_ = true;
    Q_EMIT changed();
  } else if (at() < last()) {
    player_.next();
  }
}

void LessonTalk::goBack() {
  if (!answered_) return player_.previous();
  answered_ = false;
  Q_EMIT changed();
}

QString LessonTalk::said() const {
  const ShownStep* step = player_.shown();
  if (step == nullptr) return "Preparing the step…"_tr;
  QStringList out;
  for (const std::string* text : {&step->say, &step->attempt})
    if (!text->empty()) out << plain(*text);
  if (step->question) out << question_words(*step->question);
  if (answered_) out << "Answer: %1. %2"_tr.arg(answer(), plain(step->question->because));
  return out.join(" ");
}

QString LessonTalk::next() const {
  return at() < last() ? written(player_.lesson().steps[static_cast<size_t>(at())]) : QString();
}

QString LessonTalk::note() const {
  return player_.shown() == nullptr ? QString() : plain(player_.shown()->note);
}

QString LessonTalk::answer() const {
  const ShownStep* step = player_.shown();
  return step == nullptr || !step->question ? QString()
                                            : QString::fromStdString(step->question->right_words());
}

QString LessonTalk::title() const {
  return "%1: step %2 of %3"_tr.arg(as_text(player_.lesson().title)).arg(at()).arg(last());
}

// What the picture is of: a run's strategy, mesh and chip, or a kernel.
QString LessonTalk::subject() const {
  const ShownStep* step = player_.shown();
  if (step != nullptr && step->kernel) {
    const auto reading = player_.reading();
    const std::string name = step->kernel->run.layout.kernel, title = step->kernel->title;
    return reading ? as_text(reading(name) + ": " + reading(title)) : as_text(name + ": " + title);
  }
  const ShownRunPtr& shown = player_.clock().shown();
  return shown ? QString::fromStdString(presented_name(*shown->run)) : QString();
}

QWidget* LessonTalk::pictures(QWidget* parent) {
  pictures_ = new StepPictures(player_, parent);
  // The keys are the talk's.
  const auto leave_keys = [at = pictures_.data()] {
    for (auto* each : at->findChildren<QWidget*>()) each->setFocusPolicy(Qt::NoFocus);
  };
  connect(&player_, &LessonPlayer::shownChanged, pictures_, leave_keys);
  leave_keys();
  return pictures_;
}

void LessonTalk::setTheme(const Theme& theme) {
  if (pictures_ != nullptr) pictures_->setTheme(theme);
}

}  // namespace shardscope
