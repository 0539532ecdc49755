// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/strategy_list.h"

#include <QHeaderView>
#include <QTreeWidgetItemIterator>
#include <algorithm>

#include "app/window/document/language.h"

namespace shardscope::inline window {

StrategyList::StrategyList(ExperimentDocument& document, QWidget* parent)
    : QTreeWidget(parent), document_(document) {
  setObjectName("strategyList");
  setColumnCount(2);
  setHeaderLabels({"strategy", ""});
  setHeaderHidden(true);
  setUniformRowHeights(true);
  setAccessibleName("Strategies"_tr);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTextElideMode(Qt::ElideRight);
  header()->setStretchLastSection(true);
  header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  connect(this, &QTreeWidget::itemChanged, this, &StrategyList::toggled);
  const auto remember = [this](QTreeWidgetItem* item, bool open) {
    if (reading_) return;
    opened_[item->text(0)] = open;
    fitRows();
  };
  connect(this, &QTreeWidget::itemExpanded, this,
          [remember](QTreeWidgetItem* item) { remember(item, true); });
  connect(this, &QTreeWidget::itemCollapsed, this,
          [remember](QTreeWidgetItem* item) { remember(item, false); });
  connect(&document_, &ExperimentDocument::changed, this, &StrategyList::readDocument);
  readDocument();
}

void StrategyList::fitRows() {
  doItemsLayout();
  int shown = 0;
  for (QTreeWidgetItemIterator it(this, QTreeWidgetItemIterator::NotHidden); *it != nullptr; ++it) {
    const QTreeWidgetItem* parent = (*it)->parent();
    if (parent == nullptr || parent->isExpanded()) ++shown;
  }
  setFixedHeight(std::max(shown, 1) * std::max(sizeHintForRow(0), 1) + 4);
}

QTreeWidgetItem* StrategyList::headingOf(const StrategyRow& row, int members) {
  if (members < 2) return nullptr;
  QTreeWidgetItem*& heading = headings_[row.family];
  if (heading == nullptr) {
    auto* inked = new InkedItem(this);
    inked->setInk(1, QPalette::Disabled, QPalette::Text);
    heading = inked;
    heading->setText(0, row.family);
    heading->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  }
  return heading;
}

// A heading's box, how many of its strategies are ticked and can run, and the paper when they share it.
void StrategyList::describeHeadings() {
  for (const auto& [family, heading] : headings_) {
    int ticked = 0, runnable = 0, members = 0;
    QStringList papers, ids;
    for (const StrategyRow& row : rows_) {
      if (row.family != family) continue;
      ++members;
      ticked += row.wanted ? 1 : 0;
      runnable += row.reason ? 0 : 1;
      ids << QString::fromStdString(row.request.strategy);
      if (const auto strategy = find_strategy(row.request.strategy); strategy.ok())
        papers << QString::fromUtf8((*strategy)->paper.data(), static_cast<int>((*strategy)->paper.size()));
    }
    papers.removeDuplicates();
    ids.removeDuplicates();
    heading->setCheckState(0, ticked == 0         ? Qt::Unchecked
                              : ticked == members ? Qt::Checked
                                                  : Qt::PartiallyChecked);
    QString text = known_ && runnable < members ? "%1 of %2 can run"_tr.arg(runnable).arg(members)
                                                : QString::number(members);
    if (papers.size() == 1) text += " · " + papers.front();
    heading->setText(1, text);
    heading->setToolTip(0, "Tick or untick the whole family\n"_tr + ids.join(", "));
    heading->setToolTip(1, text + "\n" + papers.join('\n'));
  }
}

void StrategyList::readDocument() {
  reading_ = true;
  const QString selected = currentItem() != nullptr ? currentItem()->text(0) : QString();
  QSignalBlocker quiet(this);  // rows have no items yet
  rows_ = strategy_rows(document_.experiment());
  known_ = false;
  headings_.clear();
  clear();
  for (StrategyRow& row : rows_) {
    const auto members = std::ranges::count(rows_, row.family, &StrategyRow::family);
    QTreeWidgetItem* heading = headingOf(row, static_cast<int>(members));
    row.item = heading != nullptr ? new StrategyItem(heading) : new StrategyItem(this);
    fill_item(row);
    if (!selected.isEmpty() && row.item->text(0) == selected) setCurrentItem(row.item);
  }
  if (const auto found = headings_.find(selected); found != headings_.end()) setCurrentItem(found->second);
  describeHeadings();
  quiet.unblock();
  applyFilter();
  reading_ = false;
  reasons_.start(
      [experiment = document_.experiment(), rows = rows_](std::stop_token stop) {
        std::vector<std::optional<std::string>> reasons;
        for (const StrategyRow& row : rows) {
          if (stop.stop_requested()) break;
          reasons.push_back(reason_against(experiment, row.request, stop));
        }
        return reasons;
      },
      [this](const std::vector<std::optional<std::string>>& reasons) { showReasons(reasons); });
}

void StrategyList::showReasons(const std::vector<std::optional<std::string>>& reasons) {
  reading_ = true;
  for (size_t i = 0; i < rows_.size() && i < reasons.size(); ++i) {
    rows_[i].reason = reasons[i];
    fill_reason(rows_[i]);
  }
  known_ = true;
  describeHeadings();
  applyFilter();
  reading_ = false;
  Q_EMIT reasonsChanged();
}

}  // namespace shardscope::inline window
