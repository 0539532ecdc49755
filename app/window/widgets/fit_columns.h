// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTableView>
#include <QTreeWidget>

namespace shardscope {

// What a bold heading takes with the room round it: more than the header's own hint, which forgets a margin.
int heading_width(const QAbstractItemView& table, int column);
// Columns as wide as their widest cell and their bold heading.
void fit_columns(QTreeWidget& table);
void fit_columns(QTableView& table);

}  // namespace shardscope
