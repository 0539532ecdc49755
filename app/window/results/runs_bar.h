// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QWidget>
#include <optional>

#include "app/window/results/runs_columns.h"
#include "engine/report/run_filter.h"

namespace shardscope::inline window {

// Above the table of runs: which of them are shown, in which groups and columns.
class RunsBar : public QWidget {
  Q_OBJECT
 public:
  explicit RunsBar(RunsColumns& columns, QWidget* parent = nullptr);
  QLineEdit* filter() { return filter_; }
  QComboBox* groupBy() { return group_by_; }
  QCheckBox* all() { return all_; }  // of the workspace, not only the experiment's
  // What is typed; none while it is wrong, and then the bar says where.
  std::optional<RunFilter> read();
  std::optional<size_t> group() const;
  QString said() const { return said_->text(); }
  void say(const QString& text);

 private:
  RunsColumns& columns_;
  QLineEdit* filter_;
  QLabel* said_;
  QComboBox* group_by_;
  QToolButton* choose_;
  QCheckBox* all_;
};

}  // namespace shardscope::inline window
