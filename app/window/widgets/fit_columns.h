// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTableView>
#include <QTreeWidget>

namespace shardscope::inline window {

// What a bold heading takes with the room round it: more than the header's own hint, which forgets a margin.
int heading_width(const QAbstractItemView& table, int column);
// As wide as its widest cell that is seen and its bold heading.
void fit_column(QTreeWidget& table, int column);
// All columns.
void fit_columns(QTreeWidget& table);
void fit_columns(QTableView& table);
void fit_table(QTableView& table);  // its rows to the font as well

}  // namespace shardscope::inline window
