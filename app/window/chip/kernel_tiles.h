// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QTreeWidget>
#include <QWidget>
#include <vector>

#include "app/window/chip/kernel_player.h"
#include "app/window/document/background.h"
#include "app/window/widgets/job_bar.h"
#include "engine/kernels/time/sweep.h"

namespace shardscope::inline window {

// The kernel timed over tile sizes, fastest first, with the vmem limit's verdict on each. A double click
// takes a tile.
class KernelTiles : public QWidget {
  Q_OBJECT
 public:
  explicit KernelTiles(KernelPlayer& player, QWidget* parent = nullptr);
  QLineEdit* values(int axis) { return values_[static_cast<size_t>(axis)]; }  // bm, bk, bn
  JobBar* job() { return job_; }
  QTreeWidget* table() { return table_; }
  void run();

 Q_SIGNALS:
  void tileWanted(const shardscope::KernelChoice& choice);

 private:
  void readPlayer();
  Result<std::vector<kernels::KernelAxis>> axes() const;
  void fill();
  void open(const QTreeWidgetItem* item);

  KernelPlayer& player_;
  std::vector<QLineEdit*> values_;
  JobBar* job_;
  QTreeWidget* table_;
  std::vector<kernels::KernelAxis> axes_;  // of points_
  std::vector<kernels::KernelPointResult> points_;
  KernelChoice timed_;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
