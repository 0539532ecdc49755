// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QWidget>
#include <optional>

#include "app/window/module/hlo_summary.h"
#include "app/window/widgets/job_bar.h"
#include "engine/base/result.h"

namespace shardscope::inline window {

// What the HLO dock says of its module in a line or two: its job, what it costs now and before the last edit,
// and what is wrong with it.
class HloStatus : public QWidget {
  Q_OBJECT
 public:
  explicit HloStatus(QWidget* parent = nullptr);
  JobBar* job() { return job_; }
  QString summary() const { return summary_->text(); }
  QString problem() const { return problem_->isHidden() ? QString() : problem_->text(); }
  void clear();
  void setReading(const ExplainedModule& explained);
  void setProblem(const Error& error);
  // What is proved of the module that is shown, or how that is going; "": nothing is said.
  QString proof() const { return proof_->isHidden() ? QString() : proof_->text(); }
  void setProving();
  void setProof(const QString& text, bool wrong);

 Q_SIGNALS:
  void provingCancelled();

 private:
  void say(const QString& text, const char* role);

  JobBar* job_;
  QLabel *summary_, *problem_, *proof_;
  std::optional<HloSummary> cost_;
};

}  // namespace shardscope::inline window
