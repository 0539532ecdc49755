// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_theatre.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <utility>

#include "app/window/document/language.h"

namespace shardscope {

KernelTheatre::KernelTheatre(KernelPlayer& player, QWidget* parent)
    : QWidget(parent),
      player_(player),
      said_(new QLabel(this)),
      list_(new QListWidget(this)),
      begin_(new QPushButton("Begin"_tr, this)),
      back_(new QPushButton("Take back"_tr, this)) {
  said_->setWordWrap(true);
  list_->setAccessibleName("What can happen next"_tr);
  list_->setToolTip(
      "A click makes it happen: a device does its next statement, a copy is read, or it lands"_tr);
  begin_->setToolTip("From the start, with no schedule but your choices"_tr);
  back_->setToolTip("Without the last choice"_tr);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 6, 8, 6);
  line->addWidget(begin_);
  line->addWidget(back_);
  line->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addLayout(line);
  column->addWidget(said_);
  column->addWidget(list_, 1);
  connect(begin_, &QPushButton::clicked, this, &KernelTheatre::begin);
  connect(back_, &QPushButton::clicked, this, &KernelTheatre::takeBack);
  connect(list_, &QListWidget::itemClicked, this,
          [this](QListWidgetItem* item) { choose(list_->row(item)); });
  connect(list_, &QListWidget::itemActivated, this,
          [this](QListWidgetItem* item) { choose(list_->row(item)); });
  connect(&player_, &KernelPlayer::changed, this, [this] {
    if (isVisible()) fill();  // to list what comes next, the run is followed up to the shown step
  });
}

void KernelTheatre::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  fill();
}

void KernelTheatre::fill() {
  list_->clear();
  begin_->setEnabled(player_.canStep());
  back_->setEnabled(player_.canStep() && player_.step() > 0);
  if (!player_.canStep()) return said_->clear();
  for (const auto& move : player_.shown()->replay->next_moves(player_.step()))
    list_->addItem(QString::fromStdString(move.text));
  const std::vector<KernelFinding>& findings = player_.frame().findings;
  if (!findings.empty()) {
    said_->setText("It is broken (%1): %2"_tr.arg(name(findings.front().kind),
                                                  QString::fromStdString(findings.front().message)));
  } else if (list_->count() == 0) {
    said_->setText("Nothing can move any more, and nothing broke."_tr);
  } else {
    said_->setText(
        "Nothing is broken after %1 steps. Who moves next? Try to break it."_tr.arg(player_.step()));
  }
}

void KernelTheatre::choose(int place) {
  if (!player_.canStep()) return;
  const kernels::KernelReplay& replay = *player_.shown()->replay;
  const auto moves = replay.next_moves(player_.step());
  if (place < 0 || place >= std::ssize(moves)) return;
  std::vector<kernels::Action> choices = replay.outcome().choices;
  choices.resize(static_cast<size_t>(player_.step()));
  choices.push_back(moves[static_cast<size_t>(place)].action);
  show(std::move(choices));
}

void KernelTheatre::begin() {
  if (player_.canStep()) show({});
}

void KernelTheatre::takeBack() {
  if (!player_.canStep() || player_.step() == 0) return;
  std::vector<kernels::Action> choices = player_.shown()->replay->outcome().choices;
  choices.resize(static_cast<size_t>(player_.step() - 1));
  show(std::move(choices));
}

void KernelTheatre::show(std::vector<kernels::Action> choices) {
  auto played = std::make_shared<ShownKernel>(*player_.shown());
  played->replay = std::make_shared<const kernels::KernelReplay>(player_.shown()->replay->program(),
                                                                 std::move(choices), kKernelInputSeed);
  const int64_t steps = played->replay->steps();
  player_.show(std::move(played));
  player_.setStep(steps);
}

}  // namespace shardscope
