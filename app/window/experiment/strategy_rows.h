// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "app/window/widgets/inked_item.h"
#include "engine/session/session.h"

namespace shardscope::inline window {

// The family that a strategy is listed under: the first word of its id ("wang" of "wang.os"; a number is no
// word: "2.5d"); what is wrong on purpose forms a family of its own.
QString family_of(const Strategy& strategy);

// A row's item. Its hint is made when it is asked for: what a strategy needs is found by planning it.
class StrategyItem : public InkedItem {
 public:
  using InkedItem::InkedItem;
  QVariant data(int column, int role) const override;
  void standFor(const Strategy& strategy) { strategy_ = &strategy; }

 private:
  const Strategy* strategy_ = nullptr;  // null: an unknown one
};

// A strategy as the list shows it.
struct StrategyRow {
  RunRequest request;
  bool wanted = true;
  QString family;
  QString words;  // what the filter looks through
  StrategyItem* item = nullptr;
  std::optional<std::string> reason;  // why it cannot run
};

// The experiment's own requests first, then every other strategy, not ticked.
std::vector<StrategyRow> strategy_rows(const Experiment& experiment);

// Writes into the row's item its name, its box, what kind it is and what it needs.
void fill_item(const StrategyRow& row);
// Over that, why it cannot run.
void fill_reason(const StrategyRow& row);

// The row that `item` stands for; null: none, a heading.
const StrategyRow* row_of(const std::vector<StrategyRow>& rows, const QTreeWidgetItem* item);

}  // namespace shardscope::inline window
