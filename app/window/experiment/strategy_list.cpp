// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/strategy_list.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QTextDocument>
#include <QTreeWidgetItemIterator>
#include <algorithm>

#include "engine/session/session.h"

namespace shardscope {
namespace {

QString text_of(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<int>(text.size()));
}

// Shardings are given, and the strategy does not read them.
bool keeps_own(const StrategyOptions& given, const Strategy& s) {
  return (given.in_lhs || given.in_rhs || given.out) &&
         std::find(s.options.begin(), s.options.end(), "in-lhs") == s.options.end();
}

QString kind_words(StrategyKind kind) {
  switch (kind) {
    case StrategyKind::matmul:
      return {};
    case StrategyKind::part:
      return "part: a baseline, not ranked";
    case StrategyKind::example:
      return "example: checked against a reference of its own";
    case StrategyKind::broken:
      return "broken on purpose: the check must catch it";
  }
  return {};
}

QString tooltip_of(const Strategy& s) {
  QStringList lines{text_of(s.title), text_of(s.paper), kind_words(s.kind)};
  for (const std::string_view need : s.needs) lines << "needs " + text_of(need);
  lines.removeAll("");
  return lines.join('\n');
}

// What the second column says of a row that can run.
QString mark_of(const Strategy& s, const RunRequest& request) {
  if (keeps_own(request.options, s)) return "keeps its own shardings";
  return s.kind == StrategyKind::matmul ? QString() : QString(name(s.kind));
}

}  // namespace

QString family_of(const Strategy& strategy) {
  if (strategy.kind == StrategyKind::broken) return "broken on purpose";
  const QString id = text_of(strategy.id);
  const QString word = id.section('.', 0, 0);
  bool number = false;
  word.toInt(&number);
  return number ? id : word;
}

StrategyList::StrategyList(ExperimentDocument& document, QWidget* parent)
    : QTreeWidget(parent), document_(document) {
  setObjectName("strategyList");
  setColumnCount(2);
  setHeaderLabels({"strategy", ""});
  setHeaderHidden(true);
  setUniformRowHeights(true);
  setAccessibleName("Strategies");
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

// The experiment's own requests first, then every other strategy, not ticked.
std::vector<StrategyList::Row> StrategyList::rowsOf(const Experiment& experiment) const {
  std::vector<Row> rows;
  const auto push = [&](const RunRequest& request, bool wanted) {
    const auto strategy = find_strategy(request.strategy);
    Row row{request, wanted,      "unknown", QString::fromStdString(request.strategy + ' ' + request.label),
            nullptr, std::nullopt};
    if (strategy.ok()) {
      row.family = family_of(**strategy);
      row.words = QStringList{row.words, row.family, text_of((*strategy)->title), text_of((*strategy)->paper),
                              kind_words((*strategy)->kind)}
                      .join(' ');
      for (const std::string_view alias : (*strategy)->aliases) row.words += ' ' + text_of(alias);
    }
    rows.push_back(std::move(row));
  };
  for (const RunRequest& request : requests_of(experiment)) push(request, true);
  for (const Strategy& strategy : strategies()) {
    const auto listed = [&](const Row& row) {
      const auto found = find_strategy(row.request.strategy);
      return found.ok() && (*found)->id == strategy.id;
    };
    if (std::any_of(rows.begin(), rows.end(), listed)) continue;
    RunRequest request;
    request.strategy = std::string(strategy.id);
    push(request, false);
  }
  return rows;
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

QTreeWidgetItem* StrategyList::headingOf(const Row& row, int members) {
  if (members < 2) return nullptr;
  QTreeWidgetItem*& heading = headings_[row.family];
  if (heading == nullptr) {
    heading = new QTreeWidgetItem(this);
    heading->setText(0, row.family);
    heading->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  }
  return heading;
}

void StrategyList::fillRow(Row& row) {
  QString title = QString::fromStdString(row.request.strategy);
  if (!row.request.label.empty()) title += "  " + QString::fromStdString(row.request.label);
  row.item->setText(0, title);
  row.item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  row.item->setCheckState(0, row.wanted ? Qt::Checked : Qt::Unchecked);
  const auto strategy = find_strategy(row.request.strategy);
  if (!strategy.ok()) return;
  row.item->setToolTip(0, tooltip_of(**strategy));
  row.item->setText(1, mark_of(**strategy, row.request));
  row.item->setToolTip(1, kind_words((*strategy)->kind));
  if (keeps_own(row.request.options, **strategy)) {
    row.item->setToolTip(1,
                         "Its sends and products are planned for the shardings it starts from: other ones "
                         "would be another strategy.");
  }
}

// A heading's box, how many of its strategies are ticked and can run, and the paper when they share it.
void StrategyList::describeHeadings() {
  for (const auto& [family, heading] : headings_) {
    int ticked = 0, runnable = 0, members = 0;
    QStringList papers, ids;
    for (const Row& row : rows_) {
      if (row.family != family) continue;
      ++members;
      ticked += row.wanted ? 1 : 0;
      runnable += row.reason ? 0 : 1;
      ids << QString::fromStdString(row.request.strategy);
      if (const auto strategy = find_strategy(row.request.strategy); strategy.ok())
        papers << text_of((*strategy)->paper);
    }
    papers.removeDuplicates();
    ids.removeDuplicates();
    heading->setCheckState(0, ticked == 0         ? Qt::Unchecked
                              : ticked == members ? Qt::Checked
                                                  : Qt::PartiallyChecked);
    QString text = known_ && runnable < members ? QString("%1 of %2 can run").arg(runnable).arg(members)
                                                : QString::number(members);
    if (papers.size() == 1) text += " · " + papers.front();
    heading->setText(1, text);
    heading->setForeground(1, palette().brush(QPalette::Disabled, QPalette::Text));
    heading->setToolTip(0, "Tick or untick the whole family\n" + ids.join(", "));
    heading->setToolTip(1, text + "\n" + papers.join('\n'));
  }
}

void StrategyList::readDocument() {
  reading_ = true;
  const QString selected = currentItem() != nullptr ? currentItem()->text(0) : QString();
  QSignalBlocker quiet(this);  // rows have no items yet
  rows_ = rowsOf(document_.experiment());
  known_ = false;
  headings_.clear();
  clear();
  for (Row& row : rows_) {
    const auto members = std::ranges::count(rows_, row.family, &Row::family);
    QTreeWidgetItem* heading = headingOf(row, static_cast<int>(members));
    row.item = heading != nullptr ? new QTreeWidgetItem(heading) : new QTreeWidgetItem(this);
    fillRow(row);
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
  for (size_t i = 0; i < rows_.size() && i < reasons.size(); ++i) {
    Row& row = rows_[i];
    row.reason = reasons[i];
    if (!row.reason) continue;
    QString text = QString::fromStdString(*row.reason);
    const QString prefix = QString::fromStdString(row.request.strategy) + ": ";
    if (text.startsWith(prefix)) text.remove(0, prefix.size());
    row.item->setText(1, text);
    row.item->setToolTip(1, Qt::convertFromPlainText(text));  // rich text wraps
    row.item->setForeground(0, palette().brush(QPalette::Disabled, QPalette::Text));
    row.item->setForeground(1, palette().brush(QPalette::BrightText));
  }
  known_ = true;
  describeHeadings();
  applyFilter();
  reading_ = false;
  Q_EMIT reasonsChanged();
}

const StrategyList::Row* StrategyList::rowOf(const QTreeWidgetItem* item) const {
  const auto found = std::ranges::find(rows_, item, [](const Row& row) { return row.item; });
  return item == nullptr || found == rows_.end() ? nullptr : &*found;
}

}  // namespace shardscope
