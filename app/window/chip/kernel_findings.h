// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSpinBox>
#include <QTreeWidget>
#include <QWidget>
#include <optional>

#include "app/window/chip/kernel_player.h"
#include "app/window/document/background.h"
#include "app/window/widgets/job_bar.h"

namespace shardscope::inline window {

// What is wrong: the findings of the schedule shown and, after a search over many schedules, in how many of
// them each was seen and which was the first.
class KernelFindings : public QWidget {
  Q_OBJECT
 public:
  explicit KernelFindings(KernelPlayer& player, QWidget* parent = nullptr);
  QTreeWidget* tree() { return tree_; }
  JobBar* job() { return job_; }
  QSpinBox* schedules() { return schedules_; }
  const std::optional<KernelRun>& result() const { return result_; }
  void search();   // from the shown schedule's seed on; of a kernel that is being made, when it is there
  void abandon();  // it could not be made

 Q_SIGNALS:
  void seedWanted(quint64 seed);  // the first schedule that shows something, or the one clicked

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void start(const ShownKernelPtr& shown);
  void fill();
  void fillSchedule();
  void fillSearch();
  void open(const QTreeWidgetItem* item);
  void readPlayer();

  KernelPlayer& player_;
  QSpinBox* schedules_;
  JobBar* job_;
  QTreeWidget* tree_;
  std::optional<KernelRun> result_;
  std::optional<KernelChoice> searched_;  // what result_ is about
  bool filling_ = false;
  bool waits_ = false;  // for the kernel to be searched
  Background work_;     // last: its thread ends first
};

}  // namespace shardscope::inline window
