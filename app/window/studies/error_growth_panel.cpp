// SPDX-License-Identifier: Apache-2.0
#include "app/window/studies/error_growth_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "engine/help/topics.h"
#include "engine/numerics/check/error_growth.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline window {

ErrorGrowthPanel::ErrorGrowthPanel(QWidget* parent)
    : QWidget(parent),
      lengths_(new QLineEdit("16..4096", this)),
      job_(new JobBar("Measure"_tr, this)),
      chart_(new PictureCanvas(spoken(help_topic("errors").shows), this)) {
  setObjectName("ErrorGrowth");
  lengths_->setAccessibleName("Lengths of the sums"_tr);
  lengths_->setToolTip("Powers of two from the first to the last (16..16384), or a list (16,64,256)"_tr);
  lengths_->setMaximumWidth(fontMetrics().averageCharWidth() * 24);
  chart_->setAccessibleName("Error against the length of a sum"_tr);
  auto* k = new QLabel("k", this);
  k->setProperty("role", "muted");
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 6, 8, 6);
  line->setSpacing(8);
  line->addWidget(k);
  line->addWidget(lengths_);
  line->addWidget(job_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(line);
  layout->addWidget(chart_, 1);
  connect(lengths_, &QLineEdit::returnPressed, this, &ErrorGrowthPanel::run);
  connect(job_, &JobBar::startRequested, this, &ErrorGrowthPanel::run);
  connect(job_, &JobBar::cancelRequested, this, [this] { work_.stop(); });
}

void ErrorGrowthPanel::run() {
  if (job_->busy()) return;
  const auto ks = parse_growth_lengths(lengths_->text().trimmed().toStdString());
  if (!ks.ok()) return job_->end(in_window(ks.error()), true);
  job_->begin();
  job_->setProgress("adding up seeded N(0,1) products in every way"_tr, 0);
  work_.startReporting(
      [ks = *ks](std::stop_token stop, const auto&) {
        const Workers workers(0);
        return measure_error_growth(ks, 0, workers, stop);
      },
      [this](const Result<ErrorGrowth>& measured) {
        if (!measured.ok()) {
          const bool cancelled = measured.error().kind == ErrorKind::cancelled;
          const QString reason = in_window(measured.error());
          job_->end(cancelled ? "Cancelled."_tr : reason, !cancelled);
          if (!cancelled) chart_->setMessage(reason, true);
          return;
        }
        result_ = std::make_shared<const ErrorGrowth>(*measured);
        chart_->setPicture([shown = result_](const Selection&, const Canvas& canvas) {
          return layout_error_growth(*shown, canvas);
        });
        job_->end("%1 ways, %2 sums for each point"_tr.arg(measured->curves.size()).arg(measured->samples));
      });
}

}  // namespace shardscope::inline window
