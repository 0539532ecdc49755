// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/move_list.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/language.h"
#include "engine/kernels/machine/shortest.h"

namespace shardscope::inline window {

MoveList::MoveList(QWidget* parent)
    : QWidget(parent),
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
  connect(begin_, &QPushButton::clicked, this, &MoveList::beginWanted);
  connect(back_, &QPushButton::clicked, this, &MoveList::backWanted);
  const auto choose = [this](QListWidgetItem* item) { Q_EMIT chosen(list_->row(item)); };
  connect(list_, &QListWidget::itemClicked, this, choose);
  connect(list_, &QListWidget::itemActivated, this, choose);
}

void MoveList::offer(const kernels::KernelReplay* replay, int64_t step, int64_t begun,
                     const Reading& reading) {
  list_->clear();
  begin_->setEnabled(replay != nullptr);
  back_->setEnabled(replay != nullptr && step > begun);
  if (replay == nullptr) return said_->clear();
  for (const auto& move : replay->next_moves(step))
    list_->addItem(QString::fromStdString(reading ? reading(move.text) : move.text));
  if (list_->count() > 0) list_->setCurrentRow(0);
  say(*replay, step, reading);
}

// What spoils the run comes before what warns of another schedule.
void MoveList::say(const kernels::KernelReplay& replay, int64_t step, const Reading& reading) {
  const std::vector<KernelFinding> findings = replay.frame(step).findings;
  const auto harm =
      std::ranges::find_if(findings, [](const KernelFinding& each) { return kernels::does_harm(each.kind); });
  const auto told = [&](const KernelFinding& each) {
    return QString::fromStdString(reading ? reading(each.message) : each.message);
  };
  if (harm != findings.end())
    return said_->setText("It is broken (%1): %2"_tr.arg(name(harm->kind), told(*harm)));
  if (list_->count() == 0) return said_->setText("Nothing can move any more, and nothing broke."_tr);
  QString text =
      "Nothing is broken after %1. Who moves next? Try to break it."_tr.arg(counted_tr(step, "step"));
  if (!findings.empty() && !reading)
    text += ' ' + "It can break (%1): %2"_tr.arg(name(findings.front().kind), told(findings.front()));
  said_->setText(text);
}

std::vector<kernels::Action> with_move(const kernels::KernelReplay& replay, int64_t step, int place) {
  std::vector<kernels::Action> out = replay.outcome().choices;
  out.resize(static_cast<size_t>(step));
  const auto moves = replay.next_moves(step);
  if (place >= 0 && place < std::ssize(moves)) out.push_back(moves[static_cast<size_t>(place)].action);
  return out;
}

}  // namespace shardscope::inline window
