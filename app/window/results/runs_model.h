// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "engine/report/report.h"
#include "engine/report/run_list.h"
#include "engine/trace/workspace.h"

namespace shardscope::inline window {

// The workspace's runs, and below them what could not run, with the reason. Sort by kSortRole.
class RunsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  // The columns of run_columns(), in their order.
  enum Column {
    id,
    strategy,
    mesh,
    total,
    ratio,
    time,
    price,
    group,
    groupRatio,
    compute,
    exposed,
    idle,
    overlap,
    sent,
    peak,
    bound,
    numerics,
    name,
    problem,
    dtype,
    chip,
    link,
    devices,
    tags,
    note,
    title,
    created,
    from,
    absError,
    absErrorMean,
    wrong,
    column_count
  };
  static constexpr int kSortRole = Qt::UserRole;       // numbers and texts to sort by; refused rows come last
  static constexpr int kBarRole = Qt::UserRole + 1;    // 0 to 1, a bar behind the number
  static constexpr int kRunIdRole = Qt::UserRole + 2;  // the run's id, or -1
  static constexpr int kLineRole = Qt::UserRole + 3;   // one text over the whole row, instead of its cells

  explicit RunsModel(QObject* parent = nullptr);
  // `shown`: only these ids; empty: all of them. `known`: runs in memory, whose tooltips say more.
  void setRows(std::vector<RunSummary> rows, const std::set<int64_t>& shown, std::vector<SkippedRun> skipped,
               const std::map<int64_t, RunPtr>& known = {});
  // Those that the experiment does not ask for any more: they say so and stand back.
  bool setOld(std::set<int64_t> ids);  // whether they were others
  bool isOld(int64_t run) const { return old_.contains(run); }
  void setProving(std::set<int64_t> ids);  // those whose numbers are on the way
  const std::vector<RunSummary>& rows() const { return rows_; }
  const std::vector<Rank>& ranks() const { return ranks_; }  // per row

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  // Name, tags and note of a run are edited in place: labelled() says what is wanted.
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  static bool editable(int column) { return column == name || column == tags || column == note; }

 Q_SIGNALS:
  void labelled(qint64 id, const shardscope::RunLabel& wanted);

 private:
  QVariant text(size_t row, int column) const;
  QVariant sortKey(size_t row, int column) const;
  QString tooltip(size_t row, int column) const;
  QString rankTooltip(size_t row, int column) const;
  QString timeTooltip(size_t row, int column) const;
  QVariant skipped(size_t row, int column, int role) const;
  QVariant look(size_t row, int column, int role) const;
  const Run* runOf(size_t row) const;  // none when it is not in memory

  std::vector<RunSummary> rows_;
  std::vector<Rank> ranks_;    // per row
  std::vector<double> worst_;  // per row that is the best of its problem: the largest ratio to it
  std::vector<SkippedRun> skipped_;
  std::map<int64_t, RunPtr> known_;
  std::set<int64_t> old_, proving_;
};

}  // namespace shardscope::inline window
