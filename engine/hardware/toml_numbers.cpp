// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/toml_numbers.h"

#include <cmath>
#include <fmt/format.h>

namespace shardscope::inline hardware {

Result<std::optional<double>> read_number(const TomlTable& table, const char* key, NumberRange range) {
  TRY(const auto value, table.number(key));
  if (!value) return value;
  const bool finite = std::isfinite(*value);
  const auto refuse = [&](const char* expected) {
    return invalid(fmt::format("'{}' must be {}, got {}", key, expected, *value), table.where(key));
  };
  if (range == NumberRange::positive && !(finite && *value > 0)) return refuse("a positive number");
  if (range == NumberRange::not_negative && !(finite && *value >= 0))
    return refuse("zero or a positive number");
  if (range == NumberRange::fraction && !(*value > 0 && *value <= 1))
    return refuse("more than 0 and at most 1");
  return value;
}

Result<double> read_number_or(const TomlTable& table, const char* key, NumberRange range, double fallback) {
  TRY(const auto value, read_number(table, key, range));
  return value.value_or(fallback);
}

Result<std::optional<int64_t>> read_count(const TomlTable& table, const char* key) {
  TRY(const auto value, table.integer(key));
  if (value && *value < 1) {
    return invalid(fmt::format("'{}' must be at least 1, got {}", key, *value), table.where(key));
  }
  return value;
}

std::string number_line(const char* key, const std::optional<double>& value) {
  return value ? fmt::format("{} = {}\n", key, toml_text(*value)) : "";
}

}  // namespace shardscope::inline hardware
