// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QTableView>
#include <map>
#include <set>
#include <vector>

#include "app/window/document/run_edits.h"
#include "app/window/results/runs_bar.h"
#include "app/window/results/runs_list.h"
#include "app/window/widgets/fitted_paragraph.h"
#include "views/scene/core/theme.h"

namespace shardscope::inline window {

// The table of runs: a line that filters and groups above it, the verdict under it. One selected row is
// shown; several are compared.
class RunsTable : public QWidget {
  Q_OBJECT
 public:
  explicit RunsTable(RunEdits& edits, QWidget* parent = nullptr);
  QTableView* view() { return view_; }
  RunsModel* model() { return model_; }
  RunsList* list() { return list_; }
  RunsBar* bar() { return bar_; }
  RunsColumns* columns() { return columns_; }
  QUndoStack& undoStack() { return edits_.undoStack(); }

  void setRows(const std::vector<RunSummary>& rows, const std::set<int64_t>& current,
               const std::vector<SkippedRun>& skipped, const std::map<int64_t, RunPtr>& known = {});
  void setOld(const std::set<int64_t>& ids);  // what the experiment does not ask for any more
  // `setting`: what the runs were made of, said where the experiment is another one now.
  void setVerdict(const QString& text, const QString& setting = "");
  QString verdictText() const { return verdict_->said(); }
  void selectRun(int64_t id);
  std::vector<int64_t> selectedRuns() const;
  void setTheme(const Theme& theme);  // rows are as high as their font
  QJsonObject state() const;          // filter, groups, whose runs
  void restore(const QJsonObject& state);
  void editLabel();  // of the current row, in a form

 Q_SIGNALS:
  void selectionChanged();
  void bringInRequested();

 private:
  void makeKeys();
  void refill();
  void readFilter();
  void rename();
  void remove();
  void showMenu(const QPoint& at);

  RunEdits& edits_;
  RunsModel* model_;
  RunsList* list_;
  QTableView* view_;
  RunsColumns* columns_;
  RunsBar* bar_;
  FittedParagraph* verdict_;
  QString said_, setting_;
  std::vector<int64_t> kept_;  // what is selected, while the list is arranged otherwise
  std::vector<RunSummary> rows_;
  std::set<int64_t> current_;
  std::vector<SkippedRun> skipped_;
  std::map<int64_t, RunPtr> known_;
  double scale_ = 1;
};

}  // namespace shardscope::inline window
