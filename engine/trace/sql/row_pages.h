// SPDX-License-Identifier: Apache-2.0
// Rows of a table as the pages of an SQLite database in memory, written here
// (https://www.sqlite.org/fileformat2.html, 1.6 and 2.1). SQLite copies records from such a table as they
// are, at a multiple of the speed of binding values. What reaches a file SQLite writes itself.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/machine/large_pages.h"
#include "engine/trace/sql/database.h"

namespace shardscope {

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

// While it lives, a database `made` is attached to the connection, with the rows shown last.
class RowPages {
 public:
  // Rows of main.`table`, which has an INTEGER PRIMARY KEY as its first column. Outside of any transaction,
  // like show().
  static Result<RowPages> of(const Database& db, const std::string& table);
  RowPages(RowPages&& other) noexcept = default;
  RowPages& operator=(RowPages&&) = delete;
  ~RowPages() = default;

  // Rows of consecutive ids, all larger than the last one's, by their columns behind the id.
  void add(int64_t first_id, size_t rows, std::span<const RowColumn> columns);
  int64_t rows() const { return rows_; }

  // made.rows is now the rows since the last call; the next ones begin anew.
  Result<void> show();
  // The rows shown become rows of the table. In a transaction that writes.
  Result<void> append() const;

 private:
  struct Detach {
    void operator()(const Database* db) const;
  };
  // Written over and over: what is left of before between the cells of a page nobody reads.
  struct Pages {
    std::vector<uint8_t, LargePages<uint8_t>> memory;
    size_t count = 0;
  };
  explicit RowPages(const Database& db) : db_(&db) {}
  struct Part;
  void begin_pages();
  void begin_page();
  std::vector<Part> begin_records(size_t rows, std::span<const RowColumn> columns);
  void add_cell(std::span<const Part> parts, size_t row);
  void end_page();
  void write_root();
  Result<bool> can_be_copied(int64_t& root) const;
  Result<void> copy_records(int64_t root) const;

  std::unique_ptr<const Database, Detach> db_;
  std::string table_;
  std::string empty_;          // the database without rows: header and schema, then the table's root
  Pages shown_, pages_;        // shown_ is read by the connection
  std::vector<int64_t> last_;  // row of each full page
  size_t cells_ = 0;           // of the page being filled: how many records it has
  size_t cell_ = 0;            // and where the next one begins
  int64_t first_id_ = 0, last_id_ = 0, rows_ = 0;
  int64_t shown_first_ = 0, shown_rows_ = 0;
  bool gaps_ = false, shown_gaps_ = false;  // whether ids do not follow each other
  size_t columns_ = 0;
  std::array<uint8_t, 128> kinds_{};  // what a record begins with
};

}  // namespace shardscope
