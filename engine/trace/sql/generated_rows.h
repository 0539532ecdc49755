// SPDX-License-Identifier: Apache-2.0
// Rows by their columns in memory as a virtual table (https://www.sqlite.org/vtab.html), which SQLite copies
// into a table of a file with one statement: several times as fast as binding each row's values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/trace/sql/database.h"

namespace shardscope::inline trace {

// A column of rows.
struct RowColumn {
  enum class Kind : uint8_t {
    whole,
    real,      // the bits of a double
    optional,  // whole, a negative number is null
  };
  std::span<const int64_t> values;
  Kind kind = Kind::whole;
};

// A piece of rows as it is handed to SQLite.
class RowPiece {
 public:
  // Up to so many rows of consecutive ids. A column that they have all alike stands there as one number.
  struct Part {
    struct Column {
      size_t begin = 0;          // in numbers_
      size_t each = ~size_t{0};  // 0: one number for all
      RowColumn::Kind kind = RowColumn::Kind::whole;
    };
    int64_t first_id = 0;
    size_t rows = 0;
    std::vector<Column> columns;
  };
  void clear();
  void add(int64_t first_id, size_t rows, std::span<const RowColumn> columns);
  int64_t rows() const { return rows_; }
  int64_t first_id() const { return first_id_; }
  bool gaps() const { return gaps_; }  // ids do not follow each other
  std::span<const Part> parts() const { return std::span(parts_).first(used_); }
  int64_t number(const Part::Column& column, size_t row) const {
    return numbers_[column.begin + (row & column.each)];
  }
  RowColumn::Kind kind(size_t place) const { return parts_.front().columns[place].kind; }
  // What number() is of the column in all rows; none: not the same.
  std::optional<int64_t> of_all(size_t place) const;

 private:
  std::vector<Part> parts_;  // the first used_ of them: memory is used again
  size_t used_ = 0;
  std::vector<int64_t> numbers_;
  int64_t first_id_ = 0, rows_ = 0;
  bool gaps_ = false;
};

// While it lives, the connection knows a virtual table of the rows shown last.
class GeneratedRows {
 public:
  // Rows of main.`table`, which has an INTEGER PRIMARY KEY as its last column: names of columns in their
  // table's order then need no id, and SQLite makes records of their values where it was given them.
  static Result<std::unique_ptr<GeneratedRows>> of(const Database& db, const std::string& table);
  GeneratedRows(const GeneratedRows&) = delete;
  GeneratedRows& operator=(const GeneratedRows&) = delete;
  ~GeneratedRows();

  // Rows of consecutive ids, all larger than the last one's, by their columns before the id.
  void add(int64_t first_id, size_t rows, std::span<const RowColumn> columns);
  int64_t rows() const { return collected_.rows(); }

  // The rows since the last call are what append() takes; the next ones begin anew.
  void show();
  // The rows shown become rows of the table. In a transaction that writes.
  Result<void> append() const;

  // For the virtual table.
  const RowPiece& shown() const { return shown_; }
  std::string declaration() const;

 private:
  GeneratedRows(const Database& db, std::string table, std::vector<std::string> columns)
      : db_(db), table_(std::move(table)), columns_(std::move(columns)) {}
  Result<bool> follow_the_last() const;

  const Database& db_;
  std::string table_;
  std::vector<std::string> columns_;  // quoted names, the id's last
  RowPiece shown_, collected_;
  int64_t last_id_ = 0;
};

}  // namespace shardscope::inline trace
