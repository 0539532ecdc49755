// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/query.h"

#include <algorithm>
#include <chrono>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/trace/query_functions.h"
#include "engine/trace/workspace_file.h"

namespace shardscope::inline trace {
namespace {

using Clock = std::chrono::steady_clock;

// What the authorizer refused; of a table-valued pragma SQLite reports it as just another error.
struct Refusal {
  std::set<std::string> views;  // of the file that are not ours
  bool any = false;
  std::string view;
};

int allow_reading(void* to, int action, const char* table, const char* second, const char*,
                  const char* inside) {
  auto& refusal = *static_cast<Refusal*>(to);
  const auto theirs = [&](const char* name) {
    return std::ranges::any_of(
        refusal.views, [&](const std::string& view) { return sqlite3_stricmp(view.c_str(), name) == 0; });
  };
  for (const char* name : {table, inside}) {
    if (action != SQLITE_READ || name == nullptr || !theirs(name)) continue;
    refusal.view = name;
    return SQLITE_DENY;
  }
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:  // json_patch compares each key with each, and nothing stops it
      if (second == nullptr || sqlite3_stricmp(second, "json_patch") != 0) return SQLITE_OK;
      refusal.any = true;
      return SQLITE_DENY;
    default:
      refusal.any = true;
      return SQLITE_DENY;  // ATTACH, PRAGMA, every kind of writing
  }
}

constexpr int kLongestValue = 16 << 20;       // bytes; a function that makes one takes some milliseconds
constexpr int64_t kMostMemory = 512LL << 20;  // of SQLite's, for sorting and joining
constexpr int kLongestPattern = 100;          // bytes
constexpr int kOperationsBetweenLooks = 20;   // each may make or read a longest value

struct Patience {
  Clock::time_point deadline;
  std::stop_token stop;
  int64_t memory = sqlite3_memory_used();  // of all connections; others' part changes little meanwhile
  bool too_much = false;
};

int past_patience(void* patience) {
  auto& p = *static_cast<Patience*>(patience);
  p.too_much = sqlite3_memory_used() - p.memory > kMostMemory;
  return p.too_much || p.stop.stop_requested() || Clock::now() > p.deadline ? 1 : 0;
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
  Refusal refusal = {};

  Error error() const {
    const int code = sqlite3_extended_errcode(db.handle()) & 0xff;
    if (!refusal.view.empty())
      return invalid("not allowed here: " + refusal.view + " is a view of somebody else's", "query",
                     "ask the tables, or the views that every workspace has");
    if (refusal.any)
      return invalid(std::string("not allowed here: ") + sqlite3_errmsg(db.handle()), "query",
                     "ask with a single SELECT");
    if (code == SQLITE_ERROR || code == SQLITE_RANGE || code == SQLITE_MISMATCH || code == SQLITE_TOOBIG)
      return invalid(sqlite3_errmsg(db.handle()), place_of(db, sql));
    if (code == SQLITE_INTERRUPT && patience.too_much)
      return too_big(
          "the query takes more than " + format_bytes(static_cast<double>(kMostMemory)) + " of memory",
          "query", "ask for one run, or for fewer rows");
    if (code == SQLITE_INTERRUPT && patience.stop.stop_requested())
      return cancelled("the query was cancelled");
    if (code == SQLITE_INTERRUPT)
      return invalid("the query took too long", "query", "ask for one run, or for fewer rows");
    return db.error();
  }
};

// A connection is watched while it is asked: what watches lives no longer.
struct Watched {
  const Database& db;
  ~Watched() {
    sqlite3_set_authorizer(db.handle(), nullptr, nullptr);
    sqlite3_progress_handler(db.handle(), 0, nullptr, nullptr);
  }
};

}  // namespace

Result<QueryResult> run_query(const Database& db, const std::string& sql, const QueryLimits& limits) {
  Patience patience{Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(limits.seconds)),
                    limits.stop};
  TRY(std::set<std::string> foreign_views, views_of_others(db));
  Asking asking{db, sql, patience, {std::move(foreign_views), false, {}}};
  let_views_be_read(db);
  make_searching_linear(db);
  const Watched watched{db};
  sqlite3_set_authorizer(db.handle(), allow_reading, &asking.refusal);
  sqlite3_progress_handler(db.handle(), kOperationsBetweenLooks, past_patience, &patience);
  sqlite3_limit(db.handle(), SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_limit(db.handle(), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, kLongestPattern);
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
  int64_t bytes = 0;
  while ((code = sqlite3_step(handle)) == SQLITE_ROW) {
    for (int c = 0; c < columns; ++c)
      bytes += static_cast<int64_t>(sizeof(std::string)) + sqlite3_column_bytes(handle, c);
    if (static_cast<int64_t>(result.rows.size()) == limits.rows || bytes > limits.bytes) {
      result.truncated = true;
      return result;
    }
    std::vector<std::string>& row = result.rows.emplace_back();
    for (int c = 0; c < columns; ++c) row.push_back(statement.text(c));
  }
  if (code != SQLITE_DONE) return asking.error();
  return result;
}

}  // namespace shardscope::inline trace
