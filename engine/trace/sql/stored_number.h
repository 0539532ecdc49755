// SPDX-License-Identifier: Apache-2.0
// How a number stands in a record (https://www.sqlite.org/fileformat2.html, 2.1).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace shardscope {

struct StoredNumber {
  uint64_t bytes = 0;  // as they stand in memory, `size` of them
  uint8_t kind = 0, size = 0;
};

// By the bits that a number needs beside its sign. 0 and 1 take no bytes: their kinds say it all.
struct StoredWidth {
  uint8_t kind, size, shift;
};
inline constexpr size_t kWidthOfZero = 64;  // and one behind it
inline constexpr auto kStoredWidths = [] {
  std::array<StoredWidth, kWidthOfZero + 2> widths{};
  for (size_t bits = 0; bits < kWidthOfZero; ++bits) {
    const auto bytes = static_cast<uint8_t>(bits / 8 + 1);
    widths[bits] = StoredWidth{bytes, bytes, static_cast<uint8_t>(64 - 8 * bytes)};
    if (bytes > 4) widths[bits] = {5, 6, 16};
    if (bytes > 6) widths[bits] = {6, 8, 0};
  }
  widths[kWidthOfZero] = {8, 0, 0};
  widths[kWidthOfZero + 1] = {9, 0, 0};
  return widths;
}();

inline StoredNumber stored_whole(int64_t value) {
  const auto bits = static_cast<uint64_t>(value), sign = static_cast<uint64_t>(value >> 63);
  const StoredWidth width =
      kStoredWidths[bits <= 1 ? kWidthOfZero + bits : static_cast<size_t>(std::bit_width(bits ^ sign))];
  return {__builtin_bswap64(bits << width.shift), width.kind, width.size};
}

// As SQLite does: whole numbers of up to 48 bits are stored as such.
inline StoredNumber stored_real(double value) {
  constexpr double kMost = 140'737'488'355'327;
  if (std::abs(value) <= kMost && value == std::trunc(value) && !std::signbit(value))
    return stored_whole(static_cast<int64_t>(value));
  return {__builtin_bswap64(std::bit_cast<uint64_t>(value)), 7, sizeof(double)};
}

}  // namespace shardscope
