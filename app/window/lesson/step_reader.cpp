// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/step_reader.h"

#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/lesson/lesson_text.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {

QString fault_words(const ShownStep& step) {
  QStringList lines;
  for (const StepFault& fault : step.faults)
    lines << QString::fromStdString(fault.key + ": " + fault.error.text());
  return lines.join('\n');
}

namespace {

// In the schedule that the class chooses: at its end while it plays there.
int64_t stands(LessonPlayer& player) {
  const int64_t last = player.shown()->kernel->replay->steps();
  return player.kernelSteps().playing() ? last : std::min(player.kernelSteps().step(), last);
}

}  // namespace

StepReader::StepReader(LessonPlayer& player, QWidget* parent)
    : QWidget(parent),
      player_(player),
      text_(lesson_text(this)),
      faults_(new QLabel(this)),
      notes_(lesson_text(this)),
      question_(new QuestionBox(player, this)),
      try_(new TryForm(player, this)),
      moves_(new MoveList(this)),
      notes_button_(small_button("Notes"_tr, "What is said to who presents"_tr, this)),
      job_(new JobBar("Play the step again"_tr, this)) {
  faults_->setProperty("role", "warning");
  faults_->setWordWrap(true);
  faults_->setTextFormat(Qt::PlainText);
  faults_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  notes_button_->setCheckable(true);
  notes_->hide();
  auto* page = new QWidget;
  auto* inside = new QVBoxLayout(page);
  inside->setContentsMargins(12, 10, 12, 10);
  inside->setSpacing(10);
  inside->addWidget(text_);
  inside->addWidget(question_);
  inside->addWidget(try_);
  inside->addWidget(moves_);
  inside->addWidget(faults_);
  inside->addSpacing(6);
  inside->addWidget(notes_button_, 0, Qt::AlignLeft);
  inside->addWidget(notes_);
  inside->addStretch(1);
  auto* area = new QScrollArea(this);
  area->setWidgetResizable(true);
  area->setFocusPolicy(Qt::NoFocus);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setWidget(page);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(area, 1);
  layout->addWidget(job_);
  layout->setSpacing(0);
  job_->layout()->setContentsMargins(12, 4, 12, 6);
  connect(notes_button_, &QToolButton::toggled, notes_, &QWidget::setVisible);
  connect(&player_, &LessonPlayer::shownChanged, this, &StepReader::showStep);
  connect(&player_, &LessonPlayer::running, this,
          [this](const QString& run) { job_->setProgress("running %1"_tr.arg(run), 0); });
  connect(job_, &JobBar::cancelRequested, &player_, &LessonPlayer::cancel);
  connect(job_, &JobBar::startRequested, &player_, [this] {
    const ShownStep* step = player_.shown();
    step != nullptr && step->faults.empty() ? player_.replay() : player_.again();
  });
  connect(moves_, &MoveList::chosen, this, &StepReader::choose);
  connect(moves_, &MoveList::beginWanted, &player_, [this] { player_.choose(std::nullopt); });
  connect(moves_, &MoveList::backWanted, this, [this] { choose(-1); });
  connect(&player_.kernelSteps(), &Player::changed, this, &StepReader::showMoves);
  showStep();
}

// From the shown step on; -1: without the last choice.
void StepReader::choose(int place) {
  const ShownStep* step = player_.shown();
  if (step == nullptr || !step->chooses) return;
  const int64_t at = std::max(step->begun, stands(player_));
  const bool back = place < 0;
  if (back && at == step->begun) return;
  player_.choose(with_move(*step->kernel->replay, back ? at - 1 : at, place));
}

void StepReader::showMoves() {
  const ShownStep* step = player_.shown();
  if (step == nullptr && player_.preparing()) return;
  const bool chooses = step != nullptr && step->chooses;
  moves_->setVisible(chooses);
  if (!chooses) return;
  moves_->offer(step->kernel->replay.get(), stands(player_), step->begun, player_.reading());
}

void StepReader::showStep() {
  showMoves();
  if (player_.preparing()) {
    job_->begin();
    return;
  }
  job_->end("");
  const ShownStep* step = player_.shown();
  if (step == nullptr) return;
  QStringList words;
  for (const std::string* text : {&step->say, &step->attempt})
    if (!text->empty()) words << QString::fromStdString(*text);
  // A question without an answer is read all the same.
  if (!step->question && !step->ask.empty()) words << QString::fromStdString(step->ask);
  text_->setText(words.join("\n\n"));
  text_->setVisible(!words.isEmpty());
  faults_->setText(fault_words(*step));
  faults_->setVisible(!step->faults.empty());
  notes_->setText(QString::fromStdString(step->note));
  notes_button_->setVisible(!step->note.empty());
  notes_->setVisible(!step->note.empty() && notes_button_->isChecked());
}

}  // namespace shardscope::inline window
