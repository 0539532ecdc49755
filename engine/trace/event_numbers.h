// SPDX-License-Identifier: Apache-2.0
// How the table `event_number` stores which row an event number has: an array of NumberedRow, little-endian.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

namespace shardscope {

inline constexpr int64_t kMaxRow = int64_t{1} << 62;  // no row of `event` has a larger id

// `row` counts from the run's first row in `event`. Of a shared row `number` is the first device's: the
// smallest.
struct NumberedRow {
  int32_t number = 0;
  int32_t row = 0;
};
static_assert(std::is_trivially_copyable_v<NumberedRow> && sizeof(NumberedRow) == 8);
static_assert(std::endian::native == std::endian::little, "workspace files hold little-endian numbers");

inline constexpr size_t kNumbersPerPiece = 512;

inline std::string_view numbers_blob(const std::vector<NumberedRow>& rows) {
  return {reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(NumberedRow)};
}

inline std::vector<NumberedRow> numbers_of(std::string_view blob) {
  std::vector<NumberedRow> rows(blob.size() / sizeof(NumberedRow));
  if (!rows.empty()) std::memcpy(rows.data(), blob.data(), rows.size() * sizeof(NumberedRow));
  return rows;
}

}  // namespace shardscope
