// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/foreign.h"

#include <filesystem>

namespace shardscope::inline trace {

Result<Database> open_foreign(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return io_error("no such database", path, "check the file name");
  TRY(Database db, Database::open(path, SQLITE_OPEN_READONLY));
  sqlite3_limit(db.handle(), SQLITE_LIMIT_LENGTH, 64 << 20);
  TRY_VOID(db.execute("PRAGMA query_only = 1; PRAGMA cell_size_check = 1; PRAGMA mmap_size = 0"));
  return db;
}

Result<bool> has_column(const Database& db, const std::string& table, const std::string& column) {
  TRY(Statement row, db.prepare("SELECT count(*) FROM pragma_table_info(?) WHERE name = ?"));
  row.bind_all(table, column);
  TRY(const bool there, row.step());
  return there && row.integer(0) > 0;
}

}  // namespace shardscope::inline trace
