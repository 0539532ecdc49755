// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/schema_check.h"

#include <map>

namespace shardscope {
namespace {

// What is said of each column, by its name, by its table's. A generated column is hidden: reading it would
// compute what the file says.
using Columns = std::map<std::string, std::string>;

Result<std::map<std::string, Columns>> columns_of(const Database& db) {
  TRY(Statement rows,
      db.prepare("SELECT t.name, c.name, c.cid || ' ' || c.type || ' ' || c.\"notnull\" || c.pk || c.hidden"
                 " FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c"
                 " WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'"));
  std::map<std::string, Columns> tables;
  while (true) {
    TRY(const bool more, rows.step());
    if (!more) return tables;
    tables[rows.text(0)][rows.text(1)] = rows.text(2);
  }
}

}  // namespace

Result<void> check_schema(const Database& db, const Database& expected) {
  TRY(const auto wanted, columns_of(expected));
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

}  // namespace shardscope
