// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/chip/kernel_player.h"
#include "app/window/chip/move_list.h"

namespace shardscope::inline window {

// The reader is the schedule: who moves next, and which copy is read or lands, is chosen here, one step after
// the other, from the shown step on.
class KernelTheatre : public MoveList {
  Q_OBJECT
 public:
  explicit KernelTheatre(KernelPlayer& player, QWidget* parent = nullptr);
  void begin();     // before anybody moved
  void takeBack();  // the last choice

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void fill();
  void play(std::vector<kernels::Action> choices);

  KernelPlayer& player_;
};

}  // namespace shardscope::inline window
