// SPDX-License-Identifier: Apache-2.0
// How the table `event_number` stores which row an event number has: two columns as packed_columns.h has
// them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardscope::inline trace {

inline constexpr int64_t kMaxRow = int64_t{1} << 62;  // no row of `event` has a larger id

// `row` counts from the run's first row in `event`. Of a shared row `number` is the first device's: the
// smallest.
struct NumberedRow {
  int32_t number = 0;
  int32_t row = 0;
};

inline constexpr size_t kNumbersPerPiece = 256;  // so that what they exceed the first one by takes a byte

// A row of `event_number`.
struct NumberPiece {
  int32_t first = 0;
  std::string rows;
};

// Packs them in the order of a run's event numbers, piece by piece.
class NumberPieces {
 public:
  NumberPieces() = default;
  // Of each event; -1: its row has another one's number.
  explicit NumberPieces(std::vector<int32_t> row_of) : row_of_(std::move(row_of)) {}
  size_t numbers() const { return row_of_.size(); }
  // Those that begin before number `end` and were not made yet.
  void make(size_t end, std::vector<NumberPiece>& to);

 private:
  std::vector<int32_t> row_of_;
  size_t next_ = 0;
};

// Of at most kNumbersPerPiece.
std::string numbers_blob(std::span<const NumberedRow> rows);
// `rows` becomes what `blob` holds. False: it is damaged.
bool read_numbers(std::string_view blob, std::vector<NumberedRow>& rows);

}  // namespace shardscope::inline trace
