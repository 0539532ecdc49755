// SPDX-License-Identifier: Apache-2.0
// Rows of a table as the pages of an SQLite database in memory, written here
// (https://www.sqlite.org/fileformat2.html, 1.6 and 2.1). INSERT … SELECT copies records from such a table as
// they are, at a multiple of the speed of binding values. What reaches a file SQLite writes itself.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/trace/sql/database.h"

namespace shardscope {

// While it lives, a database `made` is attached to the connection, with the table of the rows shown last.
class RowPages {
 public:
  // Rows of main.`table`, which has an INTEGER PRIMARY KEY as its first column and no other index. Outside of
  // any transaction, like show().
  static Result<RowPages> of(const Database& db, const std::string& table);
  RowPages(RowPages&& other) noexcept = default;
  RowPages& operator=(RowPages&&) = delete;
  ~RowPages() = default;

  // A row: begin with a larger id than the last one's, the other columns in their order, end.
  void begin(int64_t id);
  void add(int64_t value);
  void add_real(double value);
  void add_null() { *serial_++ = 0; }
  void end();
  int64_t rows() const { return rows_; }

  // made.TABLE is now the rows since the last call; the next ones begin anew.
  Result<void> show();

 private:
  struct Detach {
    void operator()(const Database* db) const;
  };
  explicit RowPages(const Database& db) : db_(&db) {}
  void end_page();
  void write_root();

  std::unique_ptr<const Database, Detach> db_;
  std::string empty_;             // the database without rows: header and schema, then the table's root
  std::string shown_, pages_;     // shown_ is read by the connection
  std::vector<int64_t> last_;     // row of each full page
  size_t content_ = 0;            // of the page being filled: where its records begin
  size_t cells_ = 0;              // and how many there are
  int64_t id_ = 0, last_id_ = 0;  // of the row that is being written, and the one before
  int64_t rows_ = 0;
  size_t columns_ = 0;
  std::array<uint8_t, 1024> record_{};  // header, then values
  uint8_t *serial_ = nullptr, *value_ = nullptr;
};

}  // namespace shardscope
