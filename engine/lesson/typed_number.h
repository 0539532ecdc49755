// SPDX-License-Identifier: Apache-2.0
// Numbers as people type them: "four", "1,536", "0,86", "22.5 mib", "86 %", "2×", "3 steps".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/lesson/value.h"

namespace shardscope::inline lesson {

struct TypedNumber {
  std::vector<double> readings;  // "1,536" may be meant as 1536 or as 1.536
  std::string unit;              // what stands behind it, in small letters; empty: nothing does
};
// Error: it begins with no number.
Result<TypedNumber> typed_number(std::string_view given);

// "four": 4, in small letters.
std::vector<std::pair<std::string, double>> typed_words();
// How people write this unit, in small letters, and what one of it is worth: "mib", "us", "seconds"; of a
// bare number "", "%", "times".
std::vector<std::pair<std::string, double>> typed_units(const FactUnit& unit);

// The words of a text in small letters, a plural without its s: "steps" is "step".
std::vector<std::string> plain_words(std::string_view text);

}  // namespace shardscope::inline lesson
