// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPalette>
#include <QTreeWidgetItem>
#include <map>

namespace shardscope::inline window {

// An item whose words are in colours of the palette, whatever that is when they are drawn.
class InkedItem : public QTreeWidgetItem {
 public:
  using QTreeWidgetItem::QTreeWidgetItem;
  void setInk(int column, QPalette::ColorGroup group, QPalette::ColorRole role);
  QVariant data(int column, int role) const override;

 private:
  std::map<int, std::pair<QPalette::ColorGroup, QPalette::ColorRole>> inks_;  // by column
};

}  // namespace shardscope::inline window
