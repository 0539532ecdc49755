// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/job_status.h"

#include <QHBoxLayout>
#include <QTimer>
#include <memory>

#include "app/window/widgets/job_bar.h"

namespace shardscope::inline window {
namespace {

constexpr int kPaintEveryMs =
    40;  // a bar paints the window at once with each value: not more often than this

struct LatestProgress {
  QString what;
  double fraction = 0;
};

}  // namespace

JobStatus::JobStatus(JobRunner& jobs, RunPresenter& presenter, QWidget* parent)
    : QWidget(parent), what_(new QLabel(this)), bar_(new QProgressBar(this)) {
  bar_->setTextVisible(false);
  bar_->setRange(0, 1000);
  setScale(1);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(what_);
  layout->addWidget(bar_);
  hide();
  connect(&jobs, &JobRunner::started, this, &JobStatus::begin);
  auto* look = new QTimer(this);
  look->setSingleShot(true);
  look->setInterval(kPaintEveryMs);
  const auto latest = std::make_shared<LatestProgress>();
  const auto note = [latest, look](const QString& what, double fraction) {
    *latest = {what, fraction};
    if (!look->isActive()) look->start();
  };
  connect(&jobs, &JobRunner::progress, this, note);
  connect(look, &QTimer::timeout, this, [this, latest] {
    what_->setText(latest->what + time_left(static_cast<double>(since_.elapsed()) / 1000, latest->fraction));
    bar_->setValue(static_cast<int>(latest->fraction * 1000));
  });
  const auto end = [this, look] {
    look->stop();
    hide();
  };
  connect(&jobs, &JobRunner::ended, this, end);
  connect(&presenter, &RunPresenter::progress, this, [&jobs, note](const QString& what, double fraction) {
    if (!jobs.running()) note(what, fraction);
  });
  connect(&presenter, &RunPresenter::readingChanged, this, [this, &jobs, end](bool on) {
    if (!jobs.running()) on ? begin() : end();
  });
}

void JobStatus::begin() {
  since_.start();
  what_->clear();
  bar_->setValue(0);
  show();
}

}  // namespace shardscope::inline window
