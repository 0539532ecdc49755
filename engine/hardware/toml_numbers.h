// SPDX-License-Identifier: Apache-2.0
// Numbers of a hardware file, with the range that each must lie in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/toml.h"

namespace shardscope::inline hardware {

enum class NumberRange { positive, not_negative, fraction };  // fraction: more than 0, at most 1

// Errors name the place, what was got and what was expected.
Result<std::optional<double>> read_number(const TomlTable& table, const char* key, NumberRange range);
Result<double> read_number_or(const TomlTable& table, const char* key, NumberRange range, double fallback);
Result<std::optional<int64_t>> read_count(const TomlTable& table, const char* key);  // at least 1

std::string number_line(const char* key, const std::optional<double>& value);  // "" without one

}  // namespace shardscope::inline hardware
