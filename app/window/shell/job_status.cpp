// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/job_status.h"

#include <QHBoxLayout>

#include "app/window/widgets/job_bar.h"

namespace shardscope {

JobStatus::JobStatus(JobRunner& jobs, QWidget* parent)
    : QWidget(parent), what_(new QLabel(this)), bar_(new QProgressBar(this)) {
  bar_->setTextVisible(false);
  bar_->setRange(0, 1000);
  setScale(1);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(what_);
  layout->addWidget(bar_);
  hide();
  connect(&jobs, &JobRunner::started, this, [this] {
    since_.start();
    what_->clear();
    bar_->setValue(0);
    show();
  });
  connect(&jobs, &JobRunner::progress, this, [this](const QString& what, double fraction) {
    what_->setText(what + time_left(static_cast<double>(since_.elapsed()) / 1000, fraction));
    bar_->setValue(static_cast<int>(fraction * 1000));
  });
  connect(&jobs, &JobRunner::ended, this, &QWidget::hide);
}

}  // namespace shardscope
