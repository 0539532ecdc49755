// SPDX-License-Identifier: Apache-2.0
#include "app/window/results/runs_list.h"

#include <QFont>
#include <QSize>
#include <utility>

#include "app/window/document/language.h"
#include "engine/base/units.h"

namespace shardscope::inline window {

RunsList::RunsList(RunsModel* runs, QObject* parent) : QAbstractTableModel(parent), runs_(runs) {
  order_.column = RunsModel::ratio;
  connect(runs_, &QAbstractItemModel::modelReset, this, &RunsList::arrange);
  connect(runs_, &QAbstractItemModel::dataChanged, this, [this] {
    if (!lines_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  });
  arrange();
}

void RunsList::arrange() {
  beginResetModel();
  const auto& rows = runs_->rows();
  const std::set<size_t> shown = matching(filter_, rows, runs_->ranks());
  groups_ = ordered(rows, runs_->ranks(), shown, order_);
  shown_ = static_cast<int>(shown.size());
  lines_.clear();
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (order_.group_by) lines_.push_back({-1, g});
    if (order_.group_by && folded_.count(keyOf(g)) > 0) continue;
    for (const size_t row : groups_[g].rows) lines_.push_back({static_cast<int>(row), g});
  }
  if (filter_.empty()) {
    for (int row = static_cast<int>(rows.size()); row < runs_->rowCount(); ++row) lines_.push_back({row, 0});
  }
  endResetModel();
}

void RunsList::rearrange() {
  Q_EMIT rearranging();
  arrange();
  Q_EMIT rearranged();
}

void RunsList::setFilter(RunFilter filter) {
  filter_ = std::move(filter);
  rearrange();
}

void RunsList::setGroupBy(std::optional<size_t> column) {
  order_.group_by = column;
  rearrange();
}

void RunsList::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= columnCount()) return;
  order_.column = static_cast<size_t>(column);
  order_.descending = order == Qt::DescendingOrder;
  rearrange();
}

bool RunsList::isGroup(int row) const {
  return row >= 0 && row < rowCount() && lines_[static_cast<size_t>(row)].source < 0;
}

bool RunsList::isFolded(int row) const {
  return isGroup(row) && folded_.count(keyOf(lines_[static_cast<size_t>(row)].group)) > 0;
}

void RunsList::fold(int row, bool on) {
  if (!isGroup(row)) return;
  const QString key = keyOf(lines_[static_cast<size_t>(row)].group);
  if (on == (folded_.count(key) > 0)) return;
  if (on)
    folded_.insert(key);
  else
    folded_.erase(key);
  rearrange();
}

void RunsList::setFolded(const QStringList& keys) {
  folded_ = {keys.begin(), keys.end()};
  rearrange();
}

QString RunsList::words(size_t group) const {
  const RunGroup& g = groups_[group];
  const QString sign = folded_.count(keyOf(group)) > 0 ? "▸" : "▾";
  const QString key = g.key.empty() ? "(none)"_tr : keyOf(group);
  QString out = QString("%1 %2   %3").arg(sign, key, counted_tr(std::ssize(g.rows), "run"));
  if (!g.best) return out;
  const RunSummary& best = runs_->rows()[*g.best];
  return out + "   best %1  %2"_tr.arg(QString::fromStdString(best.strategy),
                                       QString::fromStdString(best.numbers.text(RunMetric::time)));
}

int RunsList::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

int RunsList::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : RunsModel::column_count;
}

QVariant RunsList::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Line& line = at(index);
  if (line.source >= 0) return runs_->data(runs_->index(line.source, index.column()), role);
  switch (role) {
    case RunsModel::kRunIdRole:
      return -1;
    case RunsModel::kLineRole:
      return words(line.group);
    case Qt::DisplayRole:
      return index.column() == 0 ? QVariant(words(line.group)) : QVariant();
    case Qt::ToolTipRole:
      return "Enter, or a click, folds the group"_tr;
    case Qt::SizeHintRole:
      return QSize(0, 0);  // the line takes the whole row
    case Qt::FontRole: {
      QFont font;
      font.setBold(true);
      return font;
    }
    default:
      return {};
  }
}

bool RunsList::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || at(index).source < 0) return false;
  return runs_->setData(runs_->index(at(index).source, index.column()), value, role);
}

QVariant RunsList::headerData(int section, Qt::Orientation orientation, int role) const {
  return runs_->headerData(section, orientation, role);
}

Qt::ItemFlags RunsList::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  if (at(index).source < 0) return Qt::ItemIsEnabled | Qt::ItemIsSelectable;
  return runs_->flags(runs_->index(at(index).source, index.column()));
}

}  // namespace shardscope::inline window
