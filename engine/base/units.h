// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them: "46.6 µs", "2.0 MiB", "197 TFLOP/s". SI for rates and times, binary for
// memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace shardscope {

// Simulated time. A duration given in seconds rounds up to a whole picosecond and is cut to kLongestTime: an
// int64_t holds 106 days.
using Picoseconds = int64_t;
constexpr Picoseconds kLongestTime = 105LL * 24 * 3600 * 1'000'000'000'000;  // 105 days
Picoseconds to_picoseconds(double seconds);
inline double to_seconds(Picoseconds ps) {
  return static_cast<double>(ps) * 1e-12;
}

std::string format_seconds(double seconds);                    // "46.6 µs", "0 s"
std::string format_picoseconds(Picoseconds ps);                // "46.6 µs"
std::string format_bytes(double bytes);                        // "2.0 MiB", "512 B"
std::string format_rate(double per_second, const char* unit);  // (197e12, "FLOP/s") -> "197 TFLOP/s"
std::string format_percent(double fraction);                   // "82 %", "0.4 %"
std::string format_ratio(double ratio);                        // "1.31×"
std::string group_digits(int64_t value);                       // "1,177,905"

// a·b and a+b, or nothing when int64 overflows.
std::optional<int64_t> checked_multiply(int64_t a, int64_t b);
std::optional<int64_t> checked_add(int64_t a, int64_t b);
inline int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}
// The multiple of `step` that is not less than a.
inline int64_t round_up(int64_t a, int64_t step) {
  return ceil_div(a, step) * step;
}

}  // namespace shardscope
