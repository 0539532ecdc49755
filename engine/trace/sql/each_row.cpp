// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/each_row.h"

#include <exception>

#include "engine/base/check.h"

namespace shardscope {
namespace {

struct Taking {
  const std::function<bool(const RowNumbers&)>& take;
  bool stopped = false;
  std::exception_ptr thrown = {};  // none goes through SQLite
};

void take_row(sqlite3_context* context, int count, sqlite3_value** values) {
  auto& taking = *static_cast<Taking*>(sqlite3_user_data(context));
  try {
    if (taking.stopped || taking.take({values, count})) return;
  } catch (...) {
    taking.thrown = std::current_exception();
  }
  taking.stopped = true;
  sqlite3_result_error(context, "stopped", -1);  // ends the query
}

void take_no_more(sqlite3_context*) {}

}  // namespace

Result<void> each_row(const Database& db, const std::string& columns, const std::string& source,
                      std::initializer_list<int64_t> bound,
                      const std::function<bool(const RowNumbers&)>& take) {
  Taking taking{take};
  constexpr int kEncoding = SQLITE_UTF8 | SQLITE_DIRECTONLY;
  if (sqlite3_create_function_v2(db.handle(), "take_row", -1, kEncoding, &taking, nullptr, take_row,
                                 take_no_more, nullptr) != SQLITE_OK)
    return db.error();
  const Result<void> outcome = [&]() -> Result<void> {
    TRY(Statement query, db.prepare("SELECT take_row(" + columns + ") FROM " + source));
    int place = 0;
    for (const int64_t value : bound) query.bind(place++, value);
    return query.run();
  }();
  const int removed = sqlite3_create_function_v2(db.handle(), "take_row", -1, kEncoding, nullptr, nullptr,
                                                 nullptr, nullptr, nullptr);
  CHECK(removed == SQLITE_OK, removed);  // the caller has a statement under way
  if (taking.thrown) std::rethrow_exception(taking.thrown);
  return taking.stopped ? Result<void>() : outcome;
}

}  // namespace shardscope
