// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/job_bar.h"

#include <QHBoxLayout>
#include <QStyle>
#include <cmath>

#include "app/window/document/language.h"

namespace shardscope::inline window {

QString time_left(double elapsed_s, double fraction) {
  if (fraction < 0.05 || elapsed_s < 1) return {};
  return " · %1 s left"_tr.arg(std::ceil(elapsed_s * (1 - fraction) / fraction));
}

JobBar::JobBar(const QString& start, QWidget* parent)
    : QWidget(parent),
      start_(new QPushButton(start, this)),
      cancel_(new QPushButton("Cancel"_tr, this)),
      bar_(new QProgressBar(this)),
      what_(new FittedLabel(this)) {
  start_->setAccessibleName(start);
  bar_->setTextVisible(false);
  bar_->setRange(0, 1000);
  bar_->setMaximumWidth(fontMetrics().averageCharWidth() * 24);
  bar_->setAccessibleName(start + ": progress"_tr);
  cancel_->setToolTip("What is finished is kept"_tr);
  what_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(start_);
  layout->addWidget(cancel_);
  layout->addWidget(bar_);
  layout->addWidget(what_, 1);
  connect(start_, &QPushButton::clicked, this, &JobBar::startRequested);
  connect(cancel_, &QPushButton::clicked, this, &JobBar::cancelRequested);
  end("");
}

void JobBar::begin() {
  busy_ = true;
  since_.start();
  start_->setEnabled(false);
  cancel_->setVisible(true);
  bar_->setVisible(true);
  setProgress("starting", 0);
}

void JobBar::setProgress(const QString& what, double fraction) {
  bar_->setValue(static_cast<int>(fraction * 1000));
  what_->setProperty("role", "muted");
  what_->style()->polish(what_);
  what_->say(what + time_left(static_cast<double>(since_.elapsed()) / 1000, fraction));
}

void JobBar::end(const QString& message, bool failed) {
  busy_ = false;
  start_->setEnabled(true);
  cancel_->setVisible(false);
  bar_->setVisible(false);
  what_->setProperty("role", failed ? "warning" : "muted");
  what_->style()->polish(what_);
  what_->say(message);
}

}  // namespace shardscope::inline window
