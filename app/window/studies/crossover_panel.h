// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QLineEdit>
#include <memory>
#include <vector>

#include "app/window/document/experiment_document.h"
#include "app/window/studies/study_panel.h"
#include "engine/study/crossover.h"

namespace shardscope::inline window {

// The experiment over ranges of its parameters: who wins where. A field of ranges in the words of `sweep
// --over`, checked while they are typed; curves with the points where the winner changes; a table of all
// points, each one double click away from being the experiment.
class CrossoverPanel : public StudyPanel {
  Q_OBJECT
 public:
  explicit CrossoverPanel(ExperimentDocument& document, QWidget* parent = nullptr);
  QLineEdit* ranges() { return ranges_; }
  const std::shared_ptr<const CrossoverTable>& result() const { return result_; }
  QString plan() const { return plan_->text(); }  // "7 points × 12 strategies"
  void run() override;
  QString csv() const;   // a line per point, a column per strategy, seconds
  QString html() const;  // curves, who wins where
  QJsonObject state() const { return {{"ranges", ranges_->text()}}; }
  void restore(const QJsonObject& state) { ranges_->setText(state["ranges"].toString(ranges_->text())); }

 Q_SIGNALS:
  void htmlRequested();
  void csvRequested();

 private:
  Result<std::vector<SweepAxis>> axes() const;
  void check();
  void showResult(const CrossoverTable& result);
  void fillTable();
  void open(const QTreeWidgetItem* item) override;
  QStringList words(const ItemId& item) const;

  ExperimentDocument& document_;
  QLineEdit* ranges_;
  QLabel* plan_;
  Experiment base_;  // that `result_` was made from
  std::shared_ptr<const CrossoverTable> result_;
};

}  // namespace shardscope::inline window
