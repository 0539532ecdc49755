// SPDX-License-Identifier: Apache-2.0
// The strategy list's boxes and filter: what the user ticks and what is let through.
#include <QKeyEvent>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/experiment/strategy_list.h"
#include "app/window/widgets/searched.h"

namespace shardscope::inline window {

void StrategyList::setFilter(const QString& words) {
  filter_ = search_for(words);
  reading_ = true;
  applyFilter();
  reading_ = false;
}

// With a filter every family that has a match is open; without one, those that are partly ticked, unless the
// user said otherwise.
void StrategyList::applyFilter() {
  std::map<QString, bool> matched, partly;
  for (const StrategyRow& row : rows_) {
    const bool shown = filter_.finds(searched({row.words}, row.item->text(1)));
    row.item->setHidden(!shown);
    matched[row.family] = matched[row.family] || shown;
    partly[row.family] = partly[row.family] || row.wanted;
  }
  const bool all = std::ranges::all_of(
      rows_, [](const StrategyRow& row) { return row.wanted || row.family == "broken on purpose"; });
  for (const auto& [family, heading] : headings_) {
    heading->setHidden(!matched[family]);
    const auto chosen = opened_.find(family);
    heading->setExpanded(!filter_.empty() ||
                         (chosen != opened_.end() ? chosen->second : partly[family] && !all));
  }
  fitRows();
  Q_EMIT rowsChanged();
}

QStringList StrategyList::shownStrategies() const {
  QStringList out;
  for (const StrategyRow& row : rows_) {
    if (!row.item->isHidden()) out << QString::fromStdString(row.request.strategy);
  }
  return out;
}

int StrategyList::wantedCount() const {
  return static_cast<int>(std::ranges::count(rows_, true, &StrategyRow::wanted));
}

int StrategyList::runnableCount() const {
  return static_cast<int>(std::ranges::count_if(rows_, [](const StrategyRow& row) { return !row.reason; }));
}

void StrategyList::tickShown() {
  for (StrategyRow& row : rows_) row.wanted = row.wanted || !row.item->isHidden();
  writeLater();
}

// What is wrong on purpose runs only when it is ticked by hand.
void StrategyList::tickRunnable() {
  if (!known_) return;
  for (StrategyRow& row : rows_) {
    const auto strategy = find_strategy(row.request.strategy);
    const bool broken = strategy.ok() && (*strategy)->kind == StrategyKind::broken;
    row.wanted = !row.reason && (!broken || row.wanted);
  }
  writeLater();
}

void StrategyList::tickOnlyCurrent() {
  const StrategyRow* current = row_of(rows_, currentItem());
  const QString family = currentItem() != nullptr && current == nullptr ? currentItem()->text(0) : QString();
  if (current == nullptr && family.isEmpty()) return;
  for (StrategyRow& row : rows_) row.wanted = current != nullptr ? &row == current : row.family == family;
  writeLater();
}

// The box of a heading is that of all its rows that the filter lets through.
void StrategyList::toggled(QTreeWidgetItem* item) {
  if (reading_) return;
  const bool on = item->checkState(0) == Qt::Checked;
  for (StrategyRow& row : rows_) {
    const bool whole_family =
        row_of(rows_, item) == nullptr && row.family == item->text(0) && !row.item->isHidden();
    if (row.item == item || whole_family) row.wanted = on;
  }
  writeLater();
}

// Writing reads the list anew, and the item that changed is still in use here.
void StrategyList::writeLater() {
  if (writing_) return;
  writing_ = true;
  QMetaObject::invokeMethod(this, &StrategyList::writeDocument, Qt::QueuedConnection);
}

void StrategyList::writeDocument() {
  writing_ = false;
  Experiment experiment = document_.experiment();
  experiment.runs.clear();
  for (const StrategyRow& row : rows_) {
    if (row.wanted) experiment.runs.push_back(row.request);
  }
  if (experiment.runs.empty() || experiment == document_.experiment()) {  // no runs would mean every strategy
    readDocument();
    return;
  }
  document_.change(experiment, "strategies"_tr);
}

std::optional<RunRequest> StrategyList::current() const {
  const StrategyRow* row = row_of(rows_, currentItem());
  return row == nullptr ? std::nullopt : std::optional(row->request);
}

void StrategyList::select(const QString& strategy) {
  for (const StrategyRow& row : rows_) {
    if (row.request.strategy == strategy.toStdString() && row.item != nullptr)
      return setCurrentItem(row.item);
  }
}

QString StrategyList::reason(const QString& strategy) const {
  for (const StrategyRow& row : rows_) {
    if (row.request.strategy == strategy.toStdString()) return row.item->text(1);
  }
  return {};
}

void StrategyList::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    if (QTreeWidgetItem* item = currentItem(); item != nullptr && item->childCount() > 0)
      item->setExpanded(!item->isExpanded());
    return;
  }
  QTreeWidget::keyPressEvent(event);
}

}  // namespace shardscope::inline window
