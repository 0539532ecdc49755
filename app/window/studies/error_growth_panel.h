// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLineEdit>
#include <memory>

#include "app/window/document/background.h"
#include "app/window/widgets/job_bar.h"
#include "app/window/widgets/picture_canvas.h"
#include "engine/study/error_growth.h"

namespace shardscope::inline window {

// How the error of a sum grows with its length, by where it is rounded: measured here, beside the laws.
class ErrorGrowthPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ErrorGrowthPanel(QWidget* parent = nullptr);
  void setTheme(const Theme& theme) { chart_->setTheme(theme); }
  QLineEdit* lengths() { return lengths_; }
  JobBar* job() { return job_; }
  PictureCanvas* chart() { return chart_; }
  const std::shared_ptr<const ErrorGrowth>& result() const { return result_; }
  void run();

 private:
  QLineEdit* lengths_;
  JobBar* job_;
  PictureCanvas* chart_;
  std::shared_ptr<const ErrorGrowth> result_;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
