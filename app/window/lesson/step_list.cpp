// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/step_list.h"

#include <QRegularExpression>
#include <QSignalBlocker>

#include "app/window/document/language.h"
#include "app/window/lesson/lesson_text.h"
#include "engine/base/text.h"
#include "engine/session/lessons/authoring.h"

namespace shardscope::inline window {
namespace {

constexpr int kMostTitle = 48;

// Without its expressions, from the first sentence on that begins with a word.
QString readable(QString text) {
  static const QRegularExpression kExpression(R"(\{[^{}]*\})");
  text.replace(kExpression, "…");
  while (text.startsWith("…")) {
    const qsizetype end = text.indexOf(". ");
    if (end < 0) return text;
    text = text.mid(end + 2);
  }
  return text;
}

// A text that is nothing but expressions says what is looked at.
QString begin_of(const LessonStep& step, const std::string& text) {
  QString words = readable(QString::fromStdString(text)).simplified().remove('*').remove('`');
  static const QRegularExpression kLetter(R"(\p{L})");
  if (!words.contains(kLetter))
    words = "%1, step %2"_tr.arg(as_text(join(step.show, ", ")), as_text(step.beat));
  return words.size() > kMostTitle ? words.left(kMostTitle) + "…" : words;
}

// "3  What a step begins with…"
QString title_of(const LessonStep& step, size_t place) {
  const QString number = QString::number(place + 1) + "  ";
  if (!step.ask.empty()) return number + "? " + begin_of(step, step.ask);
  if (!step.attempt.empty()) return number + "Try: %1"_tr.arg(begin_of(step, step.attempt));
  return number + begin_of(step, step.say);
}

// As it is shown, its numbers put in.
LessonStep filled(LessonStep step, const ShownStep& shown) {
  step.say = shown.say;
  step.ask = shown.ask;
  step.attempt = shown.attempt;
  return step;
}

}  // namespace

StepList::StepList(LessonDocument& document, LessonPlayer& player, QWidget* parent)
    : QListWidget(parent), document_(document), player_(player) {
  setAccessibleName("Steps of the lesson"_tr);
  setToolTip("Drag a step, or press Alt+Up and Alt+Down, to move it"_tr);
  setTextElideMode(Qt::ElideRight);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setDragDropMode(QAbstractItemView::InternalMove);
  // Later: the list is in the middle of moving its own row.
  connect(
      model(), &QAbstractItemModel::rowsMoved, this,
      [this](const QModelIndex&, int from, int, const QModelIndex&, int to) {
        move(from, to > from ? to - 1 : to);
      },
      Qt::QueuedConnection);
  connect(this, &QListWidget::currentRowChanged, &player_, [this](int row) {
    if (row >= 0) player_.goTo(row);
  });
  connect(&document_, &LessonDocument::opened, this, &StepList::fill);
  connect(&document_, &LessonDocument::changed, this, &StepList::fill);
  connect(&player_, &LessonPlayer::stepChanged, this, &StepList::select);
  connect(&player_, &LessonPlayer::shownChanged, this, &StepList::fillShown);
  fill();
}

void StepList::fill() {
  const QSignalBlocker quiet(this);
  clear();
  const auto& steps = document_.lesson().steps;
  for (size_t k = 0; k < steps.size(); ++k) addItem(title_of(steps[k], k));
  setCurrentRow(player_.step());
}

void StepList::fillShown() {
  const ShownStep* shown = player_.shown();
  if (shown == nullptr || shown->step >= document_.lesson().steps.size() || !shown->faults.empty()) return;
  QListWidgetItem* row = item(static_cast<int>(shown->step));
  const LessonStep& step = document_.lesson().steps[shown->step];
  if (row != nullptr) row->setText(title_of(filled(step, *shown), shown->step));
}

void StepList::select() {
  const QSignalBlocker quiet(this);
  setCurrentRow(player_.step());
}

void StepList::move(int from, int to) {
  document_.change(with_step_moved(document_.lesson(), static_cast<size_t>(from), static_cast<size_t>(to)),
                   "move step %1"_tr.arg(from + 1));
  document_.locked() ? fill() : player_.goTo(to);
}

void StepList::moveStep(int by) {
  const int to = player_.step() + by;
  if (document_.isOpen() && to >= 0 && to < player_.stepCount()) move(player_.step(), to);
}

void StepList::addQuestion() {
  if (!document_.isOpen() || player_.shown() == nullptr) return;
  const auto place = static_cast<size_t>(player_.step()) + 1;
  document_.change(with_step(document_.lesson(), place, question_about(*player_.shown())),
                   "add a question"_tr);
}

void StepList::deleteStep() {
  if (player_.stepCount() < 2) return;
  const int step = player_.step();
  document_.change(without_step(document_.lesson(), static_cast<size_t>(step)),
                   "delete step %1"_tr.arg(step + 1));
  player_.goTo(step);
}

}  // namespace shardscope::inline window
