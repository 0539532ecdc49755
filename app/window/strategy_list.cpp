// SPDX-License-Identifier: Apache-2.0
#include "app/window/strategy_list.h"

#include <QHeaderView>
#include <algorithm>

#include "engine/session/session.h"

namespace shardscope {
namespace {

// Shardings are given, and the strategy does not read them.
bool keeps_own(const StrategyOptions& given, const Strategy& s) {
  return (given.in_lhs || given.in_rhs || given.out) &&
         std::find(s.options.begin(), s.options.end(), "in-lhs") == s.options.end();
}

QString tooltip_of(const Strategy& s) {
  QStringList lines{QString::fromUtf8(s.title.data(), static_cast<int>(s.title.size())),
                    QString::fromUtf8(s.paper.data(), static_cast<int>(s.paper.size()))};
  for (const std::string_view need : s.needs)
    lines << "needs " + QString::fromUtf8(need.data(), static_cast<int>(need.size()));
  lines.removeAll("");
  return lines.join('\n');
}

}  // namespace

StrategyList::StrategyList(ExperimentDocument& document, QWidget* parent)
    : QTreeWidget(parent), document_(document) {
  setObjectName("strategyList");
  setColumnCount(2);
  setHeaderLabels({"strategy", ""});
  setHeaderHidden(true);
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setAccessibleName("Strategies");
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTextElideMode(Qt::ElideRight);
  header()->setStretchLastSection(true);
  header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  connect(this, &QTreeWidget::itemChanged, this, &StrategyList::toggled);
  connect(&document_, &ExperimentDocument::changed, this, &StrategyList::readDocument);
  readDocument();
}

// The experiment's own requests first, then every other strategy, not ticked.
std::vector<StrategyList::Row> StrategyList::rowsOf(const Experiment& experiment) const {
  std::vector<Row> rows;
  for (const RunRequest& request : requests_of(experiment)) rows.push_back({request, true});
  for (const Strategy& strategy : strategies()) {
    const auto listed = [&](const Row& row) {
      const auto found = find_strategy(row.request.strategy);
      return found.ok() && (*found)->id == strategy.id;
    };
    if (std::none_of(rows.begin(), rows.end(), listed)) {
      RunRequest request;
      request.strategy = std::string(strategy.id);
      rows.push_back({request, false});
    }
  }
  return rows;
}

void StrategyList::fitRows() {
  doItemsLayout();
  setFixedHeight(topLevelItemCount() * std::max(sizeHintForRow(0), 1) + 4);
}

void StrategyList::readDocument() {
  reading_ = true;
  const int selected = indexOfTopLevelItem(currentItem());
  rows_ = rowsOf(document_.experiment());
  clear();
  for (const Row& row : rows_) {
    auto* item = new QTreeWidgetItem(this);
    QString title = QString::fromStdString(row.request.strategy);
    if (!row.request.label.empty()) title += "  " + QString::fromStdString(row.request.label);
    item->setText(0, title);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(0, row.wanted ? Qt::Checked : Qt::Unchecked);
    if (const auto strategy = find_strategy(row.request.strategy); strategy.ok()) {
      item->setToolTip(0, tooltip_of(**strategy));
      if ((*strategy)->kind != StrategyKind::matmul) item->setText(1, name((*strategy)->kind));
      if (keeps_own(row.request.options, **strategy)) {
        item->setText(1, "keeps its own shardings");
        item->setToolTip(1,
                         "Its sends and products are planned for the shardings it starts from: other ones "
                         "would be another strategy.");
      }
    }
  }
  if (selected >= 0 && selected < topLevelItemCount()) setCurrentItem(topLevelItem(selected));
  fitRows();
  reading_ = false;
  known_ = false;
  reasons_.start(
      [experiment = document_.experiment(), rows = rows_](std::stop_token stop) {
        std::vector<std::optional<std::string>> reasons;
        for (const Row& row : rows) {
          if (stop.stop_requested()) break;
          reasons.push_back(reason_against(experiment, row.request));
        }
        return reasons;
      },
      [this](const std::vector<std::optional<std::string>>& reasons) { showReasons(reasons); });
}

void StrategyList::showReasons(const std::vector<std::optional<std::string>>& reasons) {
  reading_ = true;
  for (int i = 0; i < topLevelItemCount() && static_cast<size_t>(i) < reasons.size(); ++i) {
    const auto& reason = reasons[static_cast<size_t>(i)];
    if (!reason) continue;
    QTreeWidgetItem* item = topLevelItem(i);
    QString text = QString::fromStdString(*reason);
    const QString prefix = QString::fromStdString(rows_[static_cast<size_t>(i)].request.strategy) + ": ";
    if (text.startsWith(prefix)) text.remove(0, prefix.size());
    item->setText(1, text);
    item->setToolTip(1, text);
    item->setForeground(0, palette().brush(QPalette::Disabled, QPalette::Text));
    item->setForeground(1, palette().brush(QPalette::BrightText));
  }
  reading_ = false;
  known_ = true;
  Q_EMIT reasonsChanged();
}

void StrategyList::toggled(QTreeWidgetItem* item) {
  const int row = indexOfTopLevelItem(item);
  if (reading_ || row < 0) return;
  rows_[static_cast<size_t>(row)].wanted = item->checkState(0) == Qt::Checked;
  // Later: writing reads the list anew, and `item` is still in use here.
  QMetaObject::invokeMethod(this, &StrategyList::writeDocument, Qt::QueuedConnection);
}

void StrategyList::writeDocument() {
  Experiment experiment = document_.experiment();
  experiment.runs.clear();
  for (const Row& row : rows_) {
    if (row.wanted) experiment.runs.push_back(row.request);
  }
  if (experiment.runs.empty()) {  // no runs at all would mean every strategy
    readDocument();
    return;
  }
  document_.change(experiment, "strategies");
}

std::optional<RunRequest> StrategyList::current() const {
  const int row = indexOfTopLevelItem(currentItem());
  if (row < 0) return std::nullopt;
  return rows_[static_cast<size_t>(row)].request;
}

QString StrategyList::reason(const QString& strategy) const {
  for (int i = 0; i < topLevelItemCount(); ++i) {
    if (rows_[static_cast<size_t>(i)].request.strategy == strategy.toStdString())
      return topLevelItem(i)->text(1);
  }
  return {};
}

}  // namespace shardscope
