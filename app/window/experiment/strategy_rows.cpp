// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/strategy_rows.h"

#include <QPalette>
#include <QTextDocument>
#include <algorithm>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"

namespace shardscope::inline window {
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
      return "part: a baseline, not ranked"_tr;
    case StrategyKind::example:
      return "example: checked against a reference of its own"_tr;
    case StrategyKind::broken:
      return "broken on purpose: the check must catch it"_tr;
  }
  return {};
}

QString tooltip_of(const Strategy& s) {
  QStringList lines{text_of(s.title), text_of(s.paper), kind_words(s.kind)};
  for (const std::string& need : needs_of(s)) lines << "needs "_tr + text_of(need);
  lines.removeAll("");
  return lines.join('\n');
}

// What the second column says of a row that can run.
QString mark_of(const Strategy& s, const RunRequest& request) {
  if (keeps_own(request.options, s)) return "keeps its own shardings"_tr;
  return s.kind == StrategyKind::matmul ? QString() : QString(name(s.kind));
}

}  // namespace

QVariant StrategyItem::data(int column, int role) const {
  if (column == 0 && role == Qt::ToolTipRole && strategy_ != nullptr) return tooltip_of(*strategy_);
  return InkedItem::data(column, role);
}

QString family_of(const Strategy& strategy) {
  if (strategy.kind == StrategyKind::broken) return "broken on purpose"_tr;
  const QString id = text_of(strategy.id);
  const QString word = id.section('.', 0, 0);
  bool number = false;
  word.toInt(&number);
  return number ? id : word;
}

std::vector<StrategyRow> strategy_rows(const Experiment& experiment) {
  std::vector<StrategyRow> rows;
  const auto push = [&](const RunRequest& request, bool wanted) {
    const auto strategy = find_strategy(request.strategy);
    StrategyRow row{request,   wanted,
                    "unknown", QString::fromStdString(request.strategy + ' ' + request.label),
                    nullptr,   std::nullopt};
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
    const auto listed = [&](const StrategyRow& row) {
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

void fill_item(const StrategyRow& row) {
  QString title = QString::fromStdString(row.request.strategy);
  if (!row.request.label.empty()) title += "  " + QString::fromStdString(row.request.label);
  row.item->setText(0, title);
  row.item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  row.item->setCheckState(0, row.wanted ? Qt::Checked : Qt::Unchecked);
  const auto strategy = find_strategy(row.request.strategy);
  if (!strategy.ok()) return;
  row.item->standFor(**strategy);
  row.item->setText(1, mark_of(**strategy, row.request));
  row.item->setToolTip(1, kind_words((*strategy)->kind));
  if (keeps_own(row.request.options, **strategy)) {
    row.item->setToolTip(1,
                         "Its sends and products are planned for the shardings it starts from: other ones "
                         "would be another strategy."_tr);
  }
}

void fill_reason(const StrategyRow& row) {
  if (!row.reason) return;
  QString text = in_window(*row.reason);
  const QString prefix = QString::fromStdString(row.request.strategy) + ": ";
  if (text.startsWith(prefix)) text.remove(0, prefix.size());
  row.item->setText(1, text);
  row.item->setToolTip(1, Qt::convertFromPlainText(text));  // rich text wraps
  row.item->setInk(0, QPalette::Disabled, QPalette::Text);
  row.item->setInk(1, QPalette::Active, QPalette::BrightText);
}

const StrategyRow* row_of(const std::vector<StrategyRow>& rows, const QTreeWidgetItem* item) {
  const auto found = std::ranges::find(rows, item, &StrategyRow::item);
  return item == nullptr || found == rows.end() ? nullptr : &*found;
}

}  // namespace shardscope::inline window
