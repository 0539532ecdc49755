// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTreeWidget>
#include <memory>
#include <optional>

#include "app/window/background.h"
#include "app/window/experiment_document.h"
#include "app/window/job_bar.h"
#include "app/window/picture_canvas.h"
#include "engine/tune/tune.h"

namespace shardscope {

// Chooses mesh shape, strategies and slices for a model: the form of a request, its job, and the candidates
// as a chart (time against peak memory) and as a table; each candidate's layers are runs one double click
// away.
class TunerPanel : public QWidget {
  Q_OBJECT
 public:
  explicit TunerPanel(ExperimentDocument& document, QWidget* parent = nullptr);
  void setTheme(const Theme& theme) { chart_->setTheme(theme); }
  QComboBox* model() { return model_; }
  QLineEdit* chips() { return chips_; }
  QComboBox* cost() { return cost_; }
  JobBar* job() { return job_; }
  PictureCanvas* chart() { return chart_; }
  QTreeWidget* table() { return table_; }
  const std::shared_ptr<const TuneResult>& result() const { return result_; }
  QString error() const { return error_->text(); }
  void run();
  QString csv() const;
  // The run that an item of the table stands for; a candidate's own row stands for its first layer.
  std::optional<Experiment> experimentOf(const QTreeWidgetItem* item) const;

 Q_SIGNALS:
  void openRequested(const shardscope::Experiment& experiment);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* makeForm();
  Result<TuneRequest> request() const;
  void readDocument();
  void showResult(const TuneResult& result);
  void prepareTable();
  void fillTable();
  void open(const QTreeWidgetItem* item);
  int candidateOf(const QTreeWidgetItem* item) const;
  QStringList words(const ItemId& item) const;

  ExperimentDocument& document_;
  QComboBox *model_, *hardware_, *cost_;
  QLineEdit* chips_;
  QLabel *error_, *verdict_;
  JobBar* job_;
  PictureCanvas* chart_;
  QTreeWidget* table_;
  std::shared_ptr<const TuneResult> result_;
  bool reading_ = false;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope
