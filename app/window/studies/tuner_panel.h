// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QJsonObject>
#include <QLineEdit>
#include <memory>
#include <optional>

#include "app/window/document/experiment_document.h"
#include "app/window/studies/study_panel.h"
#include "engine/tune/tune.h"

namespace shardscope::inline window {

// Chooses mesh shape, strategies and slices for a model: the form of a request, its job, and the candidates
// as a chart (time against peak memory) and as a table; each candidate's layers are runs one double click
// away.
class TunerPanel : public StudyPanel {
  Q_OBJECT
 public:
  explicit TunerPanel(ExperimentDocument& document, QWidget* parent = nullptr);
  QComboBox* model() { return model_; }
  QLineEdit* chips() { return chips_; }
  QComboBox* cost() { return cost_; }
  QComboBox* step() { return step_; }
  const std::shared_ptr<const TuneResult>& result() const { return result_; }
  void run() override;
  QString csv() const;
  QJsonObject state() const;  // the request, as it is typed
  void restore(const QJsonObject& state);
  // The run that an item of the table stands for; a candidate's own row stands for its first layer.
  std::optional<Experiment> experimentOf(const QTreeWidgetItem* item) const;

 private:
  QLayout* makeForm(QWidget* browse);
  Result<TuneRequest> request() const;
  void readDocument();
  void readPurpose();
  void showResult(const TuneResult& result);
  void prepareTable();
  void fillTable();
  void addCandidate(int index);
  void showBest();
  void open(const QTreeWidgetItem* item) override;
  int candidateOf(const QTreeWidgetItem* item) const;
  QStringList words(const ItemId& item) const;

  ExperimentDocument& document_;
  QComboBox *model_, *hardware_, *cost_, *step_;
  QLineEdit* chips_;
  std::shared_ptr<const TuneResult> result_;
  bool reading_ = false;
};

}  // namespace shardscope::inline window
