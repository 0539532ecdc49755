// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/inked_item.h"

#include <QGuiApplication>

namespace shardscope::inline window {

void InkedItem::setInk(int column, QPalette::ColorGroup group, QPalette::ColorRole role) {
  inks_[column] = {group, role};
  emitDataChanged();
}

QVariant InkedItem::data(int column, int role) const {
  const auto ink = role == Qt::ForegroundRole ? inks_.find(column) : inks_.end();
  if (ink == inks_.end()) return QTreeWidgetItem::data(column, role);
  return QGuiApplication::palette().brush(ink->second.first, ink->second.second);
}

}  // namespace shardscope::inline window
