// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTreeWidget>
#include <map>
#include <optional>
#include <vector>

#include "app/window/document/background.h"
#include "app/window/document/experiment_document.h"
#include "app/window/experiment/strategy_rows.h"
#include "engine/base/search.h"

namespace shardscope::inline window {

// Every strategy with a box to tick, by family, and beside each that cannot run on this mesh and problem the
// reason. A family of one stands without a heading. The reasons are found beside the GUI thread.
class StrategyList : public QTreeWidget {
  Q_OBJECT
 public:
  explicit StrategyList(ExperimentDocument& document, QWidget* parent = nullptr);
  std::optional<RunRequest> current() const;  // the request of the row that is selected
  void select(const QString& strategy);       // its row; none of that name: as it was
  bool reasonsKnown() const { return known_; }
  QString reason(const QString& strategy) const;
  void fitRows();  // as high as its rows: the form scrolls, not the list

  // Only rows that hold every one of `words` in id, title, paper, kind or reason; empty: all.
  void setFilter(const QString& words);
  QStringList shownStrategies() const;  // those that the filter lets through
  int wantedCount() const;              // boxes ticked
  int runnableCount() const;            // of all rows, when the reasons are known
  int rowCount() const { return static_cast<int>(rows_.size()); }
  void tickShown();     // those that the filter lets through, in addition
  void tickRunnable();  // those and only those that can run, once the reasons are known
  void tickOnlyCurrent();

 Q_SIGNALS:
  void reasonsChanged();
  void rowsChanged();  // what is listed, ticked or let through

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void readDocument();
  QTreeWidgetItem* headingOf(const StrategyRow& row, int members);
  void describeHeadings();
  void applyFilter();
  void toggled(QTreeWidgetItem* item);
  void writeLater();
  void writeDocument();
  void showReasons(const std::vector<std::optional<std::string>>& reasons);

  ExperimentDocument& document_;
  std::vector<StrategyRow> rows_;
  std::map<QString, QTreeWidgetItem*> headings_;
  std::map<QString, bool> opened_;  // headings that the user opened or closed
  Search filter_{""};
  Background reasons_;
  bool reading_ = false, known_ = false, writing_ = false;
};

}  // namespace shardscope::inline window
