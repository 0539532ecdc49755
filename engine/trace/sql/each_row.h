// SPDX-License-Identifier: Apache-2.0
// Rows of a query handed over inside SQLite, as the arguments of an aggregate function: less than half the
// time of stepping a statement and asking for its columns.
#pragma once

#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>

#include "engine/trace/sql/database.h"

namespace shardscope {

// A row of numbers. Asked like a Statement; a column that was not asked for is null.
class RowNumbers {
 public:
  RowNumbers(sqlite3_value** values, int count) : values_(values), count_(count) {}
  bool is_null(int c) const { return c >= count_ || sqlite3_value_type(values_[c]) == SQLITE_NULL; }
  int64_t integer(int c) const { return sqlite3_value_int64(values_[c]); }
  int32_t integer32(int c) const { return sqlite3_value_int(values_[c]); }
  double real(int c) const {  // null is NaN
    return is_null(c) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_value_double(values_[c]);
  }

 private:
  sqlite3_value** values_;
  int count_;
};

// Calls `take` for each row of `SELECT columns FROM source`, whose ?s are `bound`, until it returns false. No
// other statement of the connection is under way.
Result<void> each_row(const Database& db, const std::string& columns, const std::string& source,
                      std::initializer_list<int64_t> bound,
                      const std::function<bool(const RowNumbers&)>& take);

}  // namespace shardscope
