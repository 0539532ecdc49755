// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QLabel>
#include <QProgressBar>
#include <QWidget>

#include "app/window/document/job_runner.h"
#include "app/window/document/run_presenter.h"

namespace shardscope::inline window {

// In the status bar: what the job that runs does, else what is being read, how far it is and how long it
// takes yet.
class JobStatus : public QWidget {
 public:
  JobStatus(JobRunner& jobs, RunPresenter& presenter, QWidget* parent);
  void setScale(double scale) { bar_->setFixedWidth(static_cast<int>(160 * scale)); }

 private:
  void begin();

  QLabel* what_;
  QProgressBar* bar_;
  QElapsedTimer since_;
};

}  // namespace shardscope::inline window
