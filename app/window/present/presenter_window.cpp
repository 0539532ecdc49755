// SPDX-License-Identifier: Apache-2.0
#include "app/window/present/presenter_window.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <cmath>

#include "app/window/document/language.h"
#include "app/window/settings/view_keys.h"
#include "app/window/widgets/form_parts.h"
#include "app/window/widgets/picture_canvas.h"

namespace shardscope::inline window {
namespace {

constexpr int kSecond = 1000;  // milliseconds

QString minutes_text(double minutes) {
  const auto seconds = static_cast<qint64>(std::floor(minutes * 60));
  return QString("%1:%2").arg(seconds / 60).arg(seconds % 60, 2, 10, QChar('0'));
}

}  // namespace

QString talk_time(double minutes, double planned) {
  if (planned <= 0) return minutes_text(minutes);
  if (minutes <= planned) return "%1 of %2"_tr.arg(minutes_text(minutes), minutes_text(planned));
  return "%1 of %2: %3 over"_tr.arg(minutes_text(minutes), minutes_text(planned),
                                    minutes_text(minutes - planned));
}

PresenterWindow::PresenterWindow(Presentation& of, const Context& context)
    : QWidget(&context.window, Qt::Window),
      of_(of),
      context_(context),
      clock_(new QLabel(this)),
      picture_(new Band([this](const Canvas& canvas) { return nextScene(canvas); }, this)) {
  setObjectName("presenter");
  setFocusPolicy(Qt::StrongFocus);
  clock_->setProperty("role", "heading");
  clock_->setAccessibleName("Elapsed time"_tr);
  auto* left = new QVBoxLayout;
  left->addWidget(clock_);
  said_ = part("Now"_tr, *left);
  note_ = part("Notes"_tr, *left);
  answer_ = part("Answer"_tr, *left);
  left->addStretch(1);
  auto* right = new QVBoxLayout;
  next_ = part("Next"_tr, *right);
  picture_->setTheme(context_.preferences.theme());
  right->addWidget(picture_, 1);
  auto* layout = new QHBoxLayout(this);
  layout->addLayout(left, 1);
  layout->addLayout(right, 1);
  resize(960, 600);
  connect(&of_.talk(), &Talk::changed, this, &PresenterWindow::read);
  connect(&context_.preferences, &Preferences::lookChanged, this,
          [this] { picture_->setTheme(context_.preferences.theme()); });
  connect(&seconds_, &QTimer::timeout, this, &PresenterWindow::readClock);
  seconds_.start(kSecond);
  read();
}

QLabel* PresenterWindow::part(const QString& heading, QVBoxLayout& into) {
  into.addWidget(heading_label(heading, this));
  auto* text = new QLabel(this);
  text->setTextFormat(Qt::PlainText);
  text->setWordWrap(true);
  text->setAccessibleName(heading);
  into.addWidget(text);
  return text;
}

void PresenterWindow::readClock() {
  clock_->setText(talk_time(of_.minutesGone(), of_.talk().minutes()) + " · " + of_.place());
}

void PresenterWindow::read() {
  const Talk& talk = of_.talk();
  const auto or_none = [](const QString& text, const QString& none) { return text.isEmpty() ? none : text; };
  setWindowTitle(talk.title().isEmpty() ? "Shardscope: for the speaker"_tr
                                        : "For the speaker: %1"_tr.arg(talk.title()));
  said_->setText(talk.said());
  note_->setText(or_none(talk.note(), "There are no notes on this step."_tr));
  answer_->setText(or_none(talk.answer(), "Nothing is asked here."_tr));
  next_->setText(or_none(talk.next(), "This is the last step."_tr));
  picture_->invalidate();
  readClock();
}

Scene PresenterWindow::nextScene(const Canvas& canvas) const {
  const auto moment = of_.talk().nextMoment();
  const RunCanvas* shown = of_.stage().canvas();
  const ShownRunPtr& run = context_.bench.clock().shown();
  if (!moment || shown == nullptr || !run) return message_scene("", false, 0, canvas);
  Selection then;
  then.time = *moment;
  return shown->view().layout(run->input(), {}, then, canvas);
}

void PresenterWindow::keyPressEvent(QKeyEvent* event) {
  if (!of_.press(pressed(*event))) QWidget::keyPressEvent(event);
}

}  // namespace shardscope::inline window
