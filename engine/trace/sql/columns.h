// SPDX-License-Identifier: Apache-2.0
// Rows whose columns are called by name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/trace/sql/database.h"

namespace shardscope::inline trace {

// A row to be written.
class NewRow {
 public:
  explicit NewRow(std::string table) : table_(std::move(table)) {}
  NewRow& set(const char* column, std::string value) { return add(column, std::move(value)); }
  NewRow& set(const char* column, const char* value) { return add(column, std::string(value)); }
  NewRow& set(const char* column, int64_t value) { return add(column, value); }
  NewRow& set(const char* column, int value) { return add(column, int64_t{value}); }
  NewRow& set(const char* column, bool value) { return add(column, int64_t{value}); }
  NewRow& set(const char* column, double value) { return add(column, value); }
  template <class T>
  NewRow& set(const char* column, const std::optional<T>& value) {
    return value ? set(column, *value) : *this;  // a column that is not named is null
  }
  Result<void> insert(const Database& db) const;
  Result<void> update(const Database& db, int64_t id) const;  // of the row with this id

 private:
  using Value = std::variant<int64_t, double, std::string>;
  NewRow& add(const char* column, Value value) {
    values_.emplace_back(column, std::move(value));
    return *this;
  }
  std::string table_;
  std::vector<std::pair<const char*, Value>> values_;
};

// The current row of a statement.
class NamedRow {
 public:
  explicit NamedRow(const Statement& statement) : statement_(statement) {}
  std::string text(std::string_view column) const { return statement_.text(place(column)); }
  int64_t integer(std::string_view column) const { return statement_.integer(place(column)); }
  int32_t integer32(std::string_view column) const { return statement_.integer32(place(column)); }
  bool flag(std::string_view column) const { return integer(column) != 0; }
  double real(std::string_view column) const { return statement_.real(place(column)); }
  bool is_null(std::string_view column) const { return statement_.is_null(place(column)); }
  // A column asked for is not there: the table's definition is damaged. It was read as null.
  bool lacks_column() const { return lacks_column_; }

 private:
  int place(std::string_view column) const;
  const Statement& statement_;
  mutable bool lacks_column_ = false;
};

}  // namespace shardscope::inline trace
