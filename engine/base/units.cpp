// SPDX-License-Identifier: Apache-2.0
#include "engine/base/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace shardscope {
namespace {

// Three significant digits, as an engineer writes them: 1.31, 46.6, 197.
std::string three_digits(double value) {
  const double magnitude = std::abs(value);
  if (magnitude >= 99.95) return fmt::format("{:.0f}", value);
  if (magnitude >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace

Picoseconds to_picoseconds(double seconds) {
  const double ps = std::min(seconds * 1e12, static_cast<double>(kLongestTime));
  const double nearest = std::round(ps);
  // 46.6 µs is not a whole number in binary; a relative error of 1e-12 is representation, not time.
  if (std::abs(ps - nearest) <= 1e-12 * std::abs(ps)) return static_cast<Picoseconds>(nearest);
  return static_cast<Picoseconds>(std::ceil(ps));
}

std::string format_seconds(double seconds) {
  if (seconds == 0) return "0 s";
  struct Unit {
    double scale;
    const char* name;
  };
  static constexpr std::array kUnits = {Unit{1.0, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "µs"}, Unit{1e-9, "ns"},
                                        Unit{1e-12, "ps"}};
  const double magnitude = std::abs(seconds);
  for (const Unit& u : kUnits) {
    if (magnitude >= u.scale * 0.9995) return three_digits(seconds / u.scale) + " " + u.name;
  }
  return three_digits(seconds / 1e-12) + " ps";
}

std::string format_picoseconds(Picoseconds ps) {
  return format_seconds(to_seconds(ps));
}

std::string format_bytes(double bytes) {
  static constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  double value = bytes;
  while (std::abs(value) >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f} B", value);
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string format_rate(double per_second, const char* unit) {
  static constexpr std::array kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
  size_t prefix = 0;
  double value = per_second;
  while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return three_digits(value) + " " + kPrefixes[prefix] + unit;
}

std::string format_percent(double fraction) {
  const double percent = fraction * 100;
  if (percent != 0 && std::abs(percent) < 9.95) return fmt::format("{:.1f} %", percent);
  return fmt::format("{:.0f} %", percent);
}

std::string format_ratio(double ratio) {
  return fmt::format("{:.2f}×", ratio);
}

std::string group_digits(int64_t value) {
  std::string digits = fmt::format("{}", value);
  const size_t first = value < 0 ? 1 : 0;
  for (size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

std::optional<int64_t> checked_multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<int64_t> checked_add(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

}  // namespace shardscope
