// SPDX-License-Identifier: Apache-2.0
// A connection to an SQLite file and its statements, with errors as Results. Only this module includes
// sqlite3.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace shardscope::inline trace {

// A prepared statement. Binds and columns count from 0. Text and blobs that are bound must live until the
// next reset.
class Statement {
 public:
  Statement(sqlite3* db, sqlite3_stmt* handle, std::string where)
      : db_(db), handle_(handle), where_(std::move(where)) {}
  Statement(Statement&& other) noexcept
      : db_(other.db_), handle_(std::exchange(other.handle_, nullptr)), where_(std::move(other.where_)) {}
  Statement& operator=(Statement&&) = delete;
  ~Statement() { sqlite3_finalize(handle_); }

  void bind(int place, int64_t value) { sqlite3_bind_int64(handle_, place + 1, value); }
  void bind(int place, int value) { sqlite3_bind_int64(handle_, place + 1, value); }
  void bind(int place, bool value) { sqlite3_bind_int(handle_, place + 1, value ? 1 : 0); }
  void bind(int place, double value) {
    sqlite3_bind_double(handle_, place + 1, value);
  }  // NaN is stored as null
  void bind(int place, std::string_view text) {
    sqlite3_bind_text64(handle_, place + 1, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  void bind(int place, const std::string& text) { bind(place, std::string_view(text)); }
  void bind(int place, const char* text) { bind(place, std::string_view(text)); }
  void bind_blob(int place, std::string_view bytes) {
    sqlite3_bind_blob64(handle_, place + 1, bytes.data(), bytes.size(), SQLITE_STATIC);
  }
  template <class T>
  void bind(int place, const std::optional<T>& value) {
    if (value)
      bind(place, *value);
    else
      sqlite3_bind_null(handle_, place + 1);
  }
  template <class... Values>
  void bind_all(const Values&... values) {
    int place = 0;
    (bind(place++, values), ...);
  }

  Result<bool> step();  // true: a row is there
  Result<void> run();   // to the end, then reset
  void reset() { sqlite3_reset(handle_); }

  int columns() const { return sqlite3_column_count(handle_); }
  bool is_null(int c) const { return sqlite3_column_type(handle_, c) == SQLITE_NULL; }
  int64_t integer(int c) const { return sqlite3_column_int64(handle_, c); }
  int32_t integer32(int c) const { return sqlite3_column_int(handle_, c); }
  double real(int c) const;  // null is NaN
  std::string text(int c) const;
  std::string_view blob(int c) const;  // until the next step
  sqlite3_stmt* handle() const { return handle_; }

 private:
  sqlite3* db_;
  sqlite3_stmt* handle_;
  std::string where_;
};

// A statement that is kept is ready for the next time, however this one ends.
struct ResetAtEnd {
  Statement& statement;
  ~ResetAtEnd() { statement.reset(); }
};

// One connection. Used by one thread at a time.
class Database {
 public:
  // `flags` as sqlite3_open_v2 takes them. Waits up to 10 s for other writers. Triggers of the file's never
  // run, and its views and columns call no function that could do harm unless let_views_be_read().
  static Result<Database> open(const std::string& path, int flags);

  Result<Statement> prepare(std::string_view sql) const;
  Result<void> execute(const std::string& sql) const;  // any number of statements
  template <class... Values>
  Result<void> run(std::string_view sql, const Values&... values) const {
    TRY(Statement statement, prepare(sql));
    statement.bind_all(values...);
    return statement.run();
  }
  Result<int64_t> integer(std::string_view sql) const;  // of a query with one number
  sqlite3* handle() const { return handle_.get(); }
  const std::string& path() const { return path_; }
  Error error() const;  // the last one, with the file's name and what to do

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
  std::string path_;
};

// SQLite's last error on `db` as ours: io, with what to do about it.
Error database_error(sqlite3* db, const std::string& where);

// Rolls back unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(const Database& db);
  Transaction(Transaction&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(const Database* db) : db_(db) {}
  const Database* db_;
};

}  // namespace shardscope::inline trace
