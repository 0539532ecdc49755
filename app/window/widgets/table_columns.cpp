// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/table_columns.h"

#include <QHeaderView>
#include <QTableView>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

const QHeaderView* headings(const QAbstractItemView& table) {
  if (const auto* tree = qobject_cast<const QTreeView*>(&table)) return tree->header();
  const auto* plain = qobject_cast<const QTableView*>(&table);
  return plain == nullptr ? nullptr : plain->horizontalHeader();
}

QString cell(QString text) {
  text.replace('\n', ' ');
  for (const char* mark : {"\\", "|", "*", "_", "`", "<", "["}) text.replace(mark, QString("\\") + mark);
  return text;
}

QString section(const QAbstractItemView& table) {
  QString rows;
  for (const TableColumn& column : columns_of(table)) {
    if (!column.meaning.isEmpty())
      rows += QString("| %1 | %2 |\n").arg(cell(column.title), cell(column.meaning));
  }
  if (rows.isEmpty()) return rows;
  return QString("\n\n## %1\n\n| %2 | %3 |\n|---|---|\n")
             .arg(cell(table.accessibleName()), "Column"_tr, "Means"_tr) +
         rows;
}

}  // namespace

void set_columns(QTreeWidget& table, const QList<TableColumn>& columns) {
  table.setColumnCount(static_cast<int>(columns.size()));
  for (int c = 0; c < columns.size(); ++c) {
    table.headerItem()->setText(c, columns[c].title);
    table.headerItem()->setToolTip(c, columns[c].meaning);
  }
}

void set_columns(QTableWidget& table, const QList<TableColumn>& columns) {
  table.setColumnCount(static_cast<int>(columns.size()));
  for (int c = 0; c < columns.size(); ++c) {
    auto* heading = new QTableWidgetItem(columns[c].title);
    heading->setToolTip(columns[c].meaning);
    table.setHorizontalHeaderItem(c, heading);
  }
}

QList<TableColumn> columns_of(const QAbstractItemView& table) {
  const QHeaderView* header = headings(table);
  if (header == nullptr || header->isHidden() || table.model() == nullptr) return {};
  QList<TableColumn> out;
  for (int c = 0; c < table.model()->columnCount(); ++c) {
    const auto said = [&](int role) { return table.model()->headerData(c, Qt::Horizontal, role).toString(); };
    out.push_back({said(Qt::DisplayRole), said(Qt::ToolTipRole)});
  }
  return out;
}

QString columns_help(const QWidget& widget) {
  QString out;
  const auto* itself = qobject_cast<const QAbstractItemView*>(&widget);
  if (itself != nullptr) out += section(*itself);
  for (const auto* table : widget.findChildren<QAbstractItemView*>()) out += section(*table);
  return out;
}

}  // namespace shardscope::inline window
