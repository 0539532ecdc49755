// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <map>
#include <set>
#include <vector>

#include "app/window/runs/runs_model.h"
#include "views/scene/core/theme.h"

namespace shardscope {

// The table of runs with the verdict under it. One selected row is shown; several are compared.
class RunsTable : public QWidget {
  Q_OBJECT
 public:
  explicit RunsTable(QWidget* parent = nullptr);
  QTableView* view() { return view_; }
  RunsModel* model() { return model_; }

  void setRows(std::vector<RunSummary> rows, const std::set<int64_t>& current,
               const std::vector<SkippedRun>& skipped, const std::map<int64_t, RunPtr>& known = {});
  void setOld(const std::set<int64_t>& ids);  // what the experiment does not ask for any more
  void setVerdict(const QString& text);
  QString verdictText() const { return verdict_->text(); }
  void selectRun(int64_t id);
  std::vector<int64_t> selectedRuns() const;
  QString csv() const;                                 // what the table shows
  void setTheme(const Theme& /*theme*/) { refill(); }  // rows are as high as their font

 Q_SIGNALS:
  void selectionChanged();

 private:
  void refill();
  void spanReasons();

  RunsModel* model_;
  QSortFilterProxyModel* sorted_;
  QTableView* view_;
  QLabel* verdict_;
  QCheckBox* all_;
  std::vector<RunSummary> rows_;
  std::set<int64_t> current_;
  std::vector<SkippedRun> skipped_;
  std::map<int64_t, RunPtr> known_;
};

}  // namespace shardscope
