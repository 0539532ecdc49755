// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QLabel>
#include <QProgressBar>
#include <QWidget>

#include "app/window/document/job_runner.h"

namespace shardscope {

// In the status bar: what the job that runs does, how far it is and how long it takes yet.
class JobStatus : public QWidget {
 public:
  JobStatus(JobRunner& jobs, QWidget* parent);
  void setScale(double scale) { bar_->setFixedWidth(static_cast<int>(160 * scale)); }

 private:
  QLabel* what_;
  QProgressBar* bar_;
  QElapsedTimer since_;
};

}  // namespace shardscope
