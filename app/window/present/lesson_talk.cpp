// SPDX-License-Identifier: Apache-2.0
#include "app/window/present/lesson_talk.h"

#include <QRegularExpression>

#include "app/report/lesson/presented_step.h"
#include "app/window/document/language.h"
#include "app/window/lesson/lesson_text.h"
#include "engine/report/page/markdown_html.h"

namespace shardscope::inline window {
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

}  // namespace

LessonTalk::LessonTalk(LessonPlayer& player, Moments& moments, QObject* parent)
    : Talk(parent), player_(player), moments_(moments), step_(player.step()) {
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
  if (!answered_) return player_.goTo(player_.step() - 1);
  answered_ = false;
  Q_EMIT changed();
}

QString LessonTalk::said() const {
  const ShownStep* step = player_.shown();
  if (step == nullptr) return "Preparing the step…"_tr;
  return as_text(presented_words(*step, answered_ ? Answered::yes : Answered::no));
}

QStringList LessonTalk::sayings() const {
  const ShownStep* step = player_.shown();
  if (step == nullptr) return {said()};
  return {as_text(presented_words(*step, Answered::no)), as_text(presented_words(*step, Answered::yes))};
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
  return as_text(presented_title(player_.lesson(), static_cast<size_t>(player_.step())));
}

// The lesson, and what the picture is of.
QString LessonTalk::subject() const {
  const std::string title = player_.lesson().title;
  if (player_.shown() == nullptr) return as_text(title);
  const auto reading = player_.reading();
  const std::string of = presented_subject(*player_.shown());
  return as_text(of.empty() ? title : title + " · " + (reading ? reading(of) : of));
}

QWidget* LessonTalk::pictures(QWidget* parent) {
  pictures_ = new StepPictures(player_, StepPictures::On::wall, parent);
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

}  // namespace shardscope::inline window
