// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QWidget>
#include <functional>
#include <string>

#include "engine/kernels/machine/replay.h"

namespace shardscope::inline window {

// What can happen next in a kernel, to be chosen by who reads: a device does its next statement, a copy is
// read, or it lands; and whether something broke so far.
class MoveList : public QWidget {
  Q_OBJECT
 public:
  using Reading = std::function<std::string(const std::string&)>;  // of texts; empty: as they are

  explicit MoveList(QWidget* parent = nullptr);
  QListWidget* list() { return list_; }
  QPushButton* beginButton() { return begin_; }
  QPushButton* backButton() { return back_; }
  QString said() const { return said_->text(); }
  // After `step` of its choices; the first `begun` of them stay. Null: there is nothing to choose.
  void offer(const kernels::KernelReplay* replay, int64_t step, int64_t begun, const Reading& reading);

 Q_SIGNALS:
  void chosen(int place);  // in KernelReplay::next_moves
  void beginWanted();      // before anything was chosen
  void backWanted();       // without the last choice

 private:
  void say(const kernels::KernelReplay& replay, int64_t step, const Reading& reading);

  QLabel* said_;
  QListWidget* list_;
  QPushButton *begin_, *back_;
};

// The choices of a replay up to `step`, and then that one of what can happen next.
std::vector<kernels::Action> with_move(const kernels::KernelReplay& replay, int64_t step, int place);

}  // namespace shardscope::inline window
