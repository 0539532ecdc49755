// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/database.h"

#include <limits>
#include <utility>

namespace shardscope::inline trace {
namespace {

// What a user can do about an error.
std::string remedy(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "free some space on the disk; finished runs are kept";
    case SQLITE_READONLY:
      return "make the file and its folder writable, or choose another file";
    case SQLITE_CANTOPEN:
      return "check that its folder exists and may be read and written";
    case SQLITE_NOTADB:
      return "choose a Shardscope workspace or a new file name";
    case SQLITE_CORRUPT:
      return "restore the file from a copy, or save what `sqlite3 FILE .recover` still finds";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program holds the file; close it and try again";
    case SQLITE_IOERR:
      return "check the disk";
    default:
      return "";
  }
}

}  // namespace

Error database_error(sqlite3* db, const std::string& where) {
  return io_error(std::string("database: ") + sqlite3_errmsg(db), where,
                  remedy(sqlite3_extended_errcode(db)));
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  const Error error = database_error(db_, where_);
  sqlite3_reset(handle_);
  return error;
}

Result<void> Statement::run() {
  while (true) {
    TRY(const bool row, step());
    if (!row) break;
  }
  sqlite3_reset(handle_);
  return {};
}

double Statement::real(int c) const {
  return is_null(c) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(handle_, c);
}

std::string Statement::text(int c) const {
  return std::string(blob(c));
}

std::string_view Statement::blob(int c) const {
  const void* bytes = sqlite3_column_blob(handle_, c);
  const auto size = static_cast<size_t>(sqlite3_column_bytes(handle_, c));
  return bytes == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes), size);
}

Result<Database> Database::open(const std::string& path, int flags) {
  Database db;
  db.path_ = path;
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nullptr);
  db.handle_.reset(handle);
  if (code != SQLITE_OK) return db.error();
  // A file may come from anybody: nothing in its schema acts by itself or does harm when it is read.
  for (const auto& [option, on] :
       {std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1),
        std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)})
    sqlite3_db_config(handle, option, on, nullptr);
  sqlite3_busy_timeout(handle, 10'000);
  sqlite3_extended_result_codes(handle, 1);
  return db;
}

Result<Statement> Database::prepare(std::string_view sql) const {
  sqlite3_stmt* handle = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &handle, nullptr) !=
      SQLITE_OK)
    return error();
  return Statement(handle_.get(), handle, path_);
}

Result<void> Database::execute(const std::string& sql) const {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return error();
  return {};
}

Result<int64_t> Database::integer(std::string_view sql) const {
  TRY(Statement statement, prepare(sql));
  TRY(const bool row, statement.step());
  const int64_t value = row ? statement.integer(0) : 0;
  if (row) TRY_VOID(statement.run());
  return value;
}

Error Database::error() const {
  return database_error(handle_.get(), path_);
}

Result<Transaction> Transaction::begin(const Database& db) {
  TRY_VOID(db.execute("BEGIN IMMEDIATE"));
  return Transaction(&db);
}

Transaction::~Transaction() {
  // After some errors (disk full) SQLite has rolled back by itself and has nothing left to undo.
  if (db_ != nullptr && sqlite3_get_autocommit(db_->handle()) == 0)
    sqlite3_exec(db_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<void> Transaction::commit() {
  TRY_VOID(db_->execute("COMMIT"));
  db_ = nullptr;
  return {};
}

}  // namespace shardscope::inline trace
