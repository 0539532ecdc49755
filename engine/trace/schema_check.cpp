// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/schema_check.h"

namespace shardscope::inline trace {

Result<TableColumns> columns_of(const Database& db) {
  TRY(Statement rows,
      db.prepare("SELECT t.name, c.name, c.cid || ' ' || c.type || ' ' || c.\"notnull\" || c.pk || c.hidden"
                 " FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c"
                 " WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'"));
  TableColumns tables;
  while (true) {
    TRY(const bool more, rows.step());
    if (!more) return tables;
    tables[rows.text(0)][rows.text(1)] = rows.text(2);
  }
}

Result<void> check_schema(const Database& db, const TableColumns& wanted) {
  TRY(const auto there, columns_of(db));
  const auto wrong = [&](const std::string& what) {
    return io_error("the workspace is damaged: " + what, db.path(), "restore the file from a copy");
  };
  for (const auto& [table, columns] : wanted) {
    const auto found = there.find(table);
    if (found == there.end()) return wrong("it has no table " + table);
    for (const auto& [column, traits] : columns)
      if (const auto same = found->second.find(column); same == found->second.end() || same->second != traits)
        return wrong("table " + table + " has no column " + column + " as it should be");
    for (const auto& [column, traits] : found->second)
      if (columns.count(column) == 0)
        return wrong("table " + table + " has a column " + column + " that is not ours");
  }
  return {};
}

}  // namespace shardscope::inline trace
