// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/columns.h"

namespace shardscope::inline trace {

Result<void> NewRow::insert(const Database& db) const {
  std::string names, marks;
  for (const auto& [column, value] : values_) {
    names += (names.empty() ? "" : ", ") + std::string(column);
    marks += marks.empty() ? "?" : ", ?";
  }
  TRY(Statement statement, db.prepare("INSERT INTO " + table_ + " (" + names + ") VALUES (" + marks + ")"));
  for (size_t i = 0; i < values_.size(); ++i)
    std::visit([&](const auto& value) { statement.bind(static_cast<int>(i), value); }, values_[i].second);
  return statement.run();
}

Result<void> NewRow::update(const Database& db, int64_t id) const {
  std::string changes;
  for (const auto& [column, value] : values_)
    changes += (changes.empty() ? "" : ", ") + std::string(column) + " = ?";
  TRY(Statement statement, db.prepare("UPDATE " + table_ + " SET " + changes + " WHERE id = ?"));
  for (size_t i = 0; i < values_.size(); ++i)
    std::visit([&](const auto& value) { statement.bind(static_cast<int>(i), value); }, values_[i].second);
  statement.bind(static_cast<int>(values_.size()), id);
  return statement.run();
}

int NamedRow::place(std::string_view column) const {
  for (int c = 0; c < statement_.columns(); ++c)
    if (column == sqlite3_column_name(statement_.handle(), c)) return c;
  lacks_column_ = true;
  return -1;  // SQLite gives null for it
}

}  // namespace shardscope::inline trace
