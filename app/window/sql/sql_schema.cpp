// SPDX-License-Identifier: Apache-2.0
#include "app/window/sql/sql_schema.h"

#include "app/window/document/language.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/table_columns.h"

namespace shardscope::inline window {

SqlSchema::SqlSchema(QWidget* parent) : QTreeWidget(parent) {
  set_columns(*this, {{"table, column"_tr, "Name in SQL, with its type"_tr},
                      {"meaning"_tr, "What it holds, with its unit"_tr}});
  setAccessibleName("Tables and columns"_tr);
  setToolTip("Enter, or a double click, puts the name into the question"_tr);
  connect(this, &QTreeWidget::itemActivated, this,
          [this](const QTreeWidgetItem* item) { Q_EMIT chosen(item->data(0, Qt::UserRole).toString()); });
}

void SqlSchema::read(const std::shared_ptr<Workspace>& workspace) {
  if (!workspace) return;
  reading_.start([workspace](std::stop_token) { return schema_of(*workspace); },
                 [this](const Result<std::vector<TableWords>>& tables) {
                   if (tables.ok()) show(*tables);
                 });
}

void SqlSchema::show(const std::vector<TableWords>& tables) {
  clear();
  QStringList words;
  for (const std::string& word : sql_keywords()) words << QString::fromStdString(word);
  const auto quoted = [](const std::string& text) { return QString::fromStdString(text); };
  for (const TableWords& table : tables) {
    auto* top = new QTreeWidgetItem(this, {quoted(table.name), spoken(quoted(table.meaning))});
    top->setData(0, Qt::UserRole, quoted(table.name));
    top->setToolTip(1, spoken(quoted(table.meaning)));
    QFont font;
    font.setBold(table.view);
    top->setFont(0, font);
    words << quoted(table.name);
    for (const ColumnWords& column : table.columns) {
      const QString unit = column.unit.empty() ? QString() : " [" + quoted(column.unit) + "]";
      const QString type = column.type.empty() ? QString() : "  " + quoted(column.type).toLower();
      auto* item =
          new QTreeWidgetItem(top, {quoted(column.name) + type, spoken(quoted(column.meaning)) + unit});
      item->setData(0, Qt::UserRole, quoted(column.name));
      item->setToolTip(1, spoken(quoted(column.meaning)) + unit);
      words << quoted(column.name);
    }
  }
  words.removeDuplicates();
  words.sort(Qt::CaseInsensitive);
  fit_column(*this, 0);
  Q_EMIT namesRead(words);
}

}  // namespace shardscope::inline window
