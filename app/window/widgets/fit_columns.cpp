// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/fit_columns.h"

#include <QHeaderView>
#include <algorithm>

namespace shardscope::inline window {

int heading_width(const QAbstractItemView& table, int column) {
  QFont bold = table.font();
  bold.setBold(true);
  const QFontMetrics metrics(bold);
  const QString heading = table.model()->headerData(column, Qt::Horizontal).toString();
  return metrics.horizontalAdvance(heading) + 4 * metrics.averageCharWidth();
}

void fit_column(QTreeWidget& table, int column) {
  table.resizeColumnToContents(column);
  const int cells = table.columnWidth(column) + table.fontMetrics().averageCharWidth();
  table.setColumnWidth(column, std::max(cells, heading_width(table, column)));
}

void fit_columns(QTreeWidget& table) {
  table.ensurePolished();  // measured with the fonts that it is drawn with
  table.header()->ensurePolished();
  for (int c = 0; c < table.columnCount(); ++c) fit_column(table, c);
}

void fit_columns(QTableView& table) {
  table.resizeColumnsToContents();
  for (int c = 0; c < table.model()->columnCount(); ++c) {
    if (!table.isColumnHidden(c))
      table.setColumnWidth(c, std::max(table.columnWidth(c), heading_width(table, c)));
  }
}

void fit_table(QTableView& table) {
  const int height = table.fontMetrics().height();
  table.verticalHeader()->setDefaultSectionSize(height + std::max(6, height / 3));
  fit_columns(table);
}

}  // namespace shardscope::inline window
