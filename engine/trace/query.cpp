// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/query.h"

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

int past_deadline(void* deadline) {
  return Clock::now() > *static_cast<const Clock::time_point*>(deadline) ? 1 : 0;
}

Error query_error(const Database& db, bool denied) {
  const int code = sqlite3_extended_errcode(db.handle()) & 0xff;
  if (denied)
    return invalid(std::string("not allowed here: ") + sqlite3_errmsg(db.handle()), "query",
                   "ask with a single SELECT");
  if (code == SQLITE_ERROR || code == SQLITE_RANGE || code == SQLITE_MISMATCH || code == SQLITE_TOOBIG)
    return invalid(sqlite3_errmsg(db.handle()), "query");
  if (code == SQLITE_INTERRUPT)
    return invalid("the query took too long", "query", "ask for one run, or for fewer rows");
  return db.error();
}

}  // namespace

Result<QueryResult> run_query(const Database& db, const std::string& sql, int64_t max_rows, double seconds) {
  Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  bool denied = false;
  sqlite3_set_authorizer(db.handle(), allow_reading, &denied);
  sqlite3_progress_handler(db.handle(), 10'000, past_deadline, &deadline);
  sqlite3_limit(db.handle(), SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_stmt* handle = nullptr;
  const char* tail = nullptr;
  if (sqlite3_prepare_v2(db.handle(), sql.c_str(), -1, &handle, &tail) != SQLITE_OK)
    return query_error(db, denied);
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
    if (static_cast<int64_t>(result.rows.size()) == max_rows) {
      result.truncated = true;
      return result;
    }
    std::vector<std::string>& row = result.rows.emplace_back();
    for (int c = 0; c < columns; ++c) row.push_back(statement.text(c));
  }
  if (code != SQLITE_DONE) return query_error(db, denied);
  return result;
}

}  // namespace shardscope
