// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/each_row.h"

namespace shardscope {
namespace {

struct Taking {
  const std::function<bool(const RowNumbers&)>& take;
  bool stopped = false;
};

void take_row(sqlite3_context* context, int count, sqlite3_value** values) {
  auto& taking = *static_cast<Taking*>(sqlite3_user_data(context));
  if (taking.stopped || taking.take({values, count})) return;
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
  sqlite3_create_function_v2(db.handle(), "take_row", -1, kEncoding, nullptr, nullptr, nullptr, nullptr,
                             nullptr);
  return taking.stopped ? Result<void>() : outcome;
}

}  // namespace shardscope
