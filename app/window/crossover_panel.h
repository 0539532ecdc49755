// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QTreeWidget>
#include <memory>
#include <vector>

#include "app/window/background.h"
#include "app/window/experiment_document.h"
#include "app/window/job_bar.h"
#include "app/window/picture_canvas.h"
#include "engine/run/crossover.h"

namespace shardscope {

// The experiment over ranges of its parameters: who wins where. A field of ranges in the words of `sweep
// --over`, checked while they are typed; curves with the points where the winner changes; a table of all
// points, each one double click away from being the experiment.
class CrossoverPanel : public QWidget {
  Q_OBJECT
 public:
  explicit CrossoverPanel(ExperimentDocument& document, QWidget* parent = nullptr);
  void setTheme(const Theme& theme) { chart_->setTheme(theme); }
  QLineEdit* ranges() { return ranges_; }
  JobBar* job() { return job_; }
  PictureCanvas* chart() { return chart_; }
  QTreeWidget* table() { return table_; }
  const std::shared_ptr<const CrossoverTable>& result() const { return result_; }
  QString error() const { return error_->text(); }
  QString plan() const { return plan_->text(); }  // "7 points × 12 strategies"
  void run();
  QString csv() const;   // a line per point, a column per strategy, seconds
  QString html() const;  // curves, who wins where

 Q_SIGNALS:
  void openRequested(const shardscope::Experiment& experiment);
  void htmlRequested();
  void csvRequested();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  Result<std::vector<SweepAxis>> axes() const;
  void check();
  void showResult(const CrossoverTable& result);
  void fillTable();
  void open(const QTreeWidgetItem* item);
  QStringList words(const ItemId& item) const;

  ExperimentDocument& document_;
  QLineEdit* ranges_;
  QLabel *error_, *plan_, *verdict_;
  JobBar* job_;
  PictureCanvas* chart_;
  QTreeWidget* table_;
  Experiment base_;  // that `result_` was made from
  std::shared_ptr<const CrossoverTable> result_;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope
