// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <optional>
#include <set>
#include <vector>

#include "app/window/results/runs_model.h"
#include "engine/report/run_filter.h"

namespace shardscope::inline window {

// The runs' rows as the table shows them: those that the filter lets through, in order, under a line for each
// group, which folds. What could not run comes last; a filter hides it.
class RunsList : public QAbstractTableModel {
  Q_OBJECT
 public:
  explicit RunsList(RunsModel* runs, QObject* parent = nullptr);

  void setFilter(RunFilter filter);
  void setGroupBy(std::optional<size_t> column);
  const RunOrder& order() const { return order_; }
  int shownRuns() const { return shown_; }  // folded ones too
  bool isGroup(int row) const;
  bool isFolded(int row) const;
  void fold(int row, bool on);  // a group's line
  QStringList folded() const { return {folded_.begin(), folded_.end()}; }
  void setFolded(const QStringList& keys);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  void sort(int column, Qt::SortOrder order) override;

 Q_SIGNALS:
  void rearranging();  // its user wants the same rows otherwise: what is selected stays
  void rearranged();

 private:
  struct Line {
    int source = -1;  // row of the runs' model; -1: the line of a group
    size_t group = 0;
  };
  void arrange();
  void rearrange();
  const Line& at(const QModelIndex& index) const { return lines_[static_cast<size_t>(index.row())]; }
  QString keyOf(size_t group) const { return QString::fromStdString(groups_[group].key); }
  QString words(size_t group) const;

  RunsModel* runs_;
  RunFilter filter_;
  RunOrder order_;
  std::set<QString> folded_;
  std::vector<RunGroup> groups_;
  std::vector<Line> lines_;
  int shown_ = 0;
};

}  // namespace shardscope::inline window
