// SPDX-License-Identifier: Apache-2.0
// What each column of a table means: said once where the column is made, shown over its heading and by F1.
#pragma once

#include <QTableWidget>
#include <QTreeWidget>

namespace shardscope::inline window {

struct TableColumn {
  QString title;
  QString meaning;  // one sentence, without a full stop
};

void set_columns(QTreeWidget& table, const QList<TableColumn>& columns);
void set_columns(QTableWidget& table, const QList<TableColumn>& columns);

// Of a table that shows headings all of them, shown or not, with what they mean; empty: it shows none.
QList<TableColumn> columns_of(const QAbstractItemView& table);
// A section in Markdown for each table in `widget` or that it is: its name and its columns; empty: none.
QString columns_help(const QWidget& widget);

}  // namespace shardscope::inline window
