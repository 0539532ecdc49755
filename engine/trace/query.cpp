// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/query.h"

#include <algorithm>
#include <chrono>

#include "engine/base/text.h"

namespace shardscope {
namespace {

using Clock = std::chrono::steady_clock;

// `denied` is where to note a refusal: of a table-valued pragma SQLite reports it as just another error.
int allow_reading(void* denied, int action, const char*, const char*, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    default:
      *static_cast<bool*>(denied) = true;
      return SQLITE_DENY;  // ATTACH, PRAGMA, every kind of writing
  }
}

struct Patience {
  Clock::time_point deadline;
  std::stop_token stop;
};

int past_patience(void* patience) {
  const auto& p = *static_cast<const Patience*>(patience);
  return p.stop.stop_requested() || Clock::now() > p.deadline ? 1 : 0;
}

// "query:2:14" for the byte at which SQLite found the error; "query" when it does not know.
std::string place_of(const Database& db, const std::string& sql) {
  const int offset = sqlite3_error_offset(db.handle());
  if (offset < 0 || static_cast<size_t>(offset) > sql.size()) return "query";
  const std::string before = sql.substr(0, static_cast<size_t>(offset));
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto characters = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start),
                                        before.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; });
  return "query:" + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ":" +
         std::to_string(1 + characters);
}

// What became of asking a connection.
struct Asking {
  const Database& db;
  const std::string& sql;
  const Patience& patience;
  bool denied = false;

  Error error() const {
    const int code = sqlite3_extended_errcode(db.handle()) & 0xff;
    if (denied)
      return invalid(std::string("not allowed here: ") + sqlite3_errmsg(db.handle()), "query",
                     "ask with a single SELECT");
    if (code == SQLITE_ERROR || code == SQLITE_RANGE || code == SQLITE_MISMATCH || code == SQLITE_TOOBIG)
      return invalid(sqlite3_errmsg(db.handle()), place_of(db, sql));
    if (code == SQLITE_INTERRUPT && patience.stop.stop_requested())
      return cancelled("the query was cancelled");
    if (code == SQLITE_INTERRUPT)
      return invalid("the query took too long", "query", "ask for one run, or for fewer rows");
    return db.error();
  }
};

}  // namespace

Result<QueryResult> run_query(const Database& db, const std::string& sql, const QueryLimits& limits) {
  Patience patience{Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(limits.seconds)),
                    limits.stop};
  Asking asking{db, sql, patience};
  sqlite3_set_authorizer(db.handle(), allow_reading, &asking.denied);
  sqlite3_progress_handler(db.handle(), 10'000, past_patience, &patience);
  sqlite3_limit(db.handle(), SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_stmt* handle = nullptr;
  const char* tail = nullptr;
  if (sqlite3_prepare_v2(db.handle(), sql.c_str(), -1, &handle, &tail) != SQLITE_OK) return asking.error();
  const Statement statement(db.handle(), handle, db.path());
  if (handle == nullptr) return invalid("the query is empty", "query", "try SELECT * FROM run_summary");
  if (!trim(tail).empty()) return invalid("more than one statement", "query", "ask with a single SELECT");
  if (sqlite3_stmt_readonly(handle) == 0)
    return invalid("the statement writes", "query", "ask with a single SELECT");
  QueryResult result;
  const int columns = sqlite3_column_count(handle);
  for (int c = 0; c < columns; ++c) result.columns.emplace_back(sqlite3_column_name(handle, c));
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(handle)) == SQLITE_ROW) {
    if (static_cast<int64_t>(result.rows.size()) == limits.rows) {
      result.truncated = true;
      return result;
    }
    std::vector<std::string>& row = result.rows.emplace_back();
    for (int c = 0; c < columns; ++c) row.push_back(statement.text(c));
  }
  if (code != SQLITE_DONE) return asking.error();
  return result;
}

}  // namespace shardscope
