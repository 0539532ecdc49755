// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QWidget>

#include "app/window/chip/kernel_player.h"

namespace shardscope {

// The reader is the schedule: who moves next, and which copy is read or lands, is chosen here, one step after
// the other, from the shown step on.
class KernelTheatre : public QWidget {
  Q_OBJECT
 public:
  explicit KernelTheatre(KernelPlayer& player, QWidget* parent = nullptr);
  QListWidget* list() { return list_; }
  QString said() const { return said_->text(); }
  void begin();     // before anybody moved
  void takeBack();  // the last choice

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void fill();
  void choose(int place);
  void show(std::vector<kernels::Action> choices);

  KernelPlayer& player_;
  QLabel* said_;
  QListWidget* list_;
  QPushButton *begin_, *back_;
};

}  // namespace shardscope
