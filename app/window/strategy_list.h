// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTreeWidget>
#include <map>
#include <optional>

#include "app/window/background.h"
#include "app/window/experiment_document.h"

namespace shardscope {

// Every strategy with a box to tick, and beside each that cannot run on this mesh and problem the reason. The
// reasons are found beside the GUI thread.
class StrategyList : public QTreeWidget {
  Q_OBJECT
 public:
  explicit StrategyList(ExperimentDocument& document, QWidget* parent = nullptr);
  std::optional<RunRequest> current() const;  // the request of the row that is selected
  bool reasonsKnown() const { return known_; }
  QString reason(const QString& strategy) const;
  void fitRows();  // as high as its rows: the form scrolls, not the list

 Q_SIGNALS:
  void reasonsChanged();

 private:
  struct Row {
    RunRequest request;
    bool wanted = true;
  };
  std::vector<Row> rowsOf(const Experiment& experiment) const;
  void readDocument();
  void toggled(QTreeWidgetItem* item);
  void writeDocument();
  void showReasons(const std::vector<std::optional<std::string>>& reasons);

  ExperimentDocument& document_;
  std::vector<Row> rows_;
  Background reasons_;
  bool reading_ = false, known_ = false;
};

}  // namespace shardscope
