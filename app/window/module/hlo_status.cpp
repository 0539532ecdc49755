// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_status.h"

#include <QHBoxLayout>
#include <QStyle>
#include <QVBoxLayout>
#include <utility>

#include "app/window/document/language.h"

namespace shardscope::inline window {

HloStatus::HloStatus(QWidget* parent)
    : QWidget(parent),
      job_(new JobBar("Run and prove"_tr, this)),
      summary_(new QLabel(this)),
      problem_(new QLabel(this)),
      proof_(new QLabel(this)) {
  job_->startButton()->setToolTip(
      "Executes the module on one device and partitioned on all, compares, shows the run"_tr);
  summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  summary_->setAccessibleName("Cost of the module"_tr);
  summary_->setWordWrap(true);
  summary_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  problem_->setWordWrap(true);
  problem_->setContentsMargins(8, 2, 8, 4);
  problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  problem_->setAccessibleName("Problem of the module"_tr);
  problem_->hide();
  proof_->setWordWrap(true);
  proof_->setContentsMargins(8, 0, 8, 4);
  proof_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  proof_->setAccessibleName("Proof of the module"_tr);
  proof_->hide();
  connect(proof_, &QLabel::linkActivated, this, &HloStatus::provingCancelled);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 0, 8, 4);
  line->setSpacing(16);
  line->addWidget(job_, 1);
  line->addWidget(summary_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(line);
  layout->addWidget(problem_);
  layout->addWidget(proof_);
}

void HloStatus::clear() {
  cost_.reset();
  summary_->clear();
  problem_->hide();
  proof_->hide();
}

void HloStatus::setReading(const ExplainedModule& explained) {
  const bool made = explained.program() != nullptr;
  const std::optional<HloSummary> before = std::exchange(cost_, std::nullopt);
  if (made) cost_ = summary_of(explained);
  summary_->setText(made ? summary_text(*cost_, before) : QString());
  summary_->setToolTip(Qt::convertFromPlainText(
      summary_->text() +
      "\n\nCollectives of the program, what a device sends in all of them (the mean over devices), the most "
      "bytes alive at once on a device when its instructions run one after another, simulated time; before "
      "and after the last edit. A run keeps more alive where it overlaps"_tr));
  problem_->hide();
  if (explained.failure)
    setProblem(*explained.failure);
  else if (explained.cut)
    say("Read up to its end: " + QString::fromStdString(explained.cut->text()), "muted");
}

void HloStatus::setProblem(const Error& error) {
  say(QString::fromStdString(error.text()), "warning");
}

void HloStatus::setProving() {
  setProof("Proving it in the background…"_tr + " <a href=\"cancel\">" + "Cancel"_tr + "</a>", false);
}

void HloStatus::setProof(const QString& text, bool wrong) {
  proof_->setTextFormat(text.contains("</a>") ? Qt::RichText : Qt::PlainText);
  proof_->setProperty("role", wrong ? "warning" : "muted");
  proof_->style()->polish(proof_);
  proof_->setText(text);
  proof_->setVisible(!text.isEmpty());
}

void HloStatus::say(const QString& text, const char* role) {
  problem_->setProperty("role", role);
  problem_->style()->polish(problem_);
  problem_->setText(text);
  problem_->show();
}

}  // namespace shardscope::inline window
