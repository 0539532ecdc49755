// SPDX-License-Identifier: Apache-2.0
// Rows of a table as the pages of an SQLite database in memory, written here
// (https://www.sqlite.org/fileformat2.html, 1.6 and 2.1). SQLite copies records from such a table as they
// are, at a multiple of the speed of binding values. What reaches a file SQLite writes itself.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "engine/trace/sql/database.h"

namespace shardscope {

// While it lives, a database `made` is attached to the connection, with the rows shown last.
class RowPages {
 public:
  // Rows of main.`table`, which has an INTEGER PRIMARY KEY as its first column. Outside of any transaction,
  // like show().
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

  // made.rows is now the rows since the last call; the next ones begin anew.
  Result<void> show();
  // The rows shown become rows of the table. In a transaction that writes.
  Result<void> append() const;

 private:
  struct Detach {
    void operator()(const Database* db) const;
  };
  explicit RowPages(const Database& db) : db_(&db) {}
  void end_page();
  void write_root();
  Result<bool> can_be_copied(int64_t& root) const;
  Result<void> copy_records(int64_t root) const;

  std::unique_ptr<const Database, Detach> db_;
  std::string table_;
  std::string empty_;             // the database without rows: header and schema, then the table's root
  std::string shown_, pages_;     // shown_ is read by the connection
  std::vector<int64_t> last_;     // row of each full page
  size_t content_ = 0;            // of the page being filled: where its records begin
  size_t cells_ = 0;              // and how many there are
  int64_t id_ = 0, last_id_ = 0;  // of the row that is being written, and the one before
  int64_t first_id_ = 0, rows_ = 0;
  int64_t shown_first_ = 0, shown_rows_ = 0;
  bool gaps_ = false, shown_gaps_ = false;  // whether ids do not follow each other
  size_t columns_ = 0;
  std::array<uint8_t, 1024> record_{};  // header, then values
  uint8_t *serial_ = nullptr, *value_ = nullptr;
};

// A number takes as many bytes as it needs, 0 and 1 none: their kinds say it all.
inline void RowPages::add(int64_t value) {
  static constexpr std::array<uint8_t, 9> kSize = {0, 1, 2, 3, 4, 6, 6, 8, 8};  // by bytes needed
  static constexpr std::array<uint8_t, 9> kSerial = {8, 1, 2, 3, 4, 5, 5, 6, 6};
  static constexpr std::array<uint8_t, 9> kShift = {0, 56, 48, 40, 32, 16, 16, 0, 0};
  const auto bits = static_cast<uint64_t>(value);
  const bool small = bits <= 1;
  const size_t bytes =
      small ? 0 : static_cast<size_t>(std::bit_width(bits ^ static_cast<uint64_t>(value >> 63))) / 8 + 1;
  *serial_++ = static_cast<uint8_t>(kSerial[bytes] + (small ? bits : 0));
  const uint64_t big_endian = __builtin_bswap64(bits << kShift[bytes]);
  std::memcpy(value_, &big_endian, sizeof(big_endian));
  value_ += kSize[bytes];
}

// As SQLite does: whole numbers of up to 48 bits are stored as such.
inline void RowPages::add_real(double value) {
  constexpr double kMost = 140'737'488'355'327;
  if (std::abs(value) <= kMost && value == std::trunc(value) && !std::signbit(value)) {
    add(static_cast<int64_t>(value));
    return;
  }
  *serial_++ = 7;
  const uint64_t big_endian = __builtin_bswap64(std::bit_cast<uint64_t>(value));
  std::memcpy(value_, &big_endian, sizeof(big_endian));
  value_ += sizeof(double);
}

}  // namespace shardscope
