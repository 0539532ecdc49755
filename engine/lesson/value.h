// SPDX-License-Identifier: Apache-2.0
// What an expression of a lesson comes to: a number with its unit, yes or no, a text, a list of names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/result.h"

namespace shardscope::inline lesson {

// Powers of the base units: bytes per second are {1, -1, 0}.
struct FactUnit {
  int8_t bytes = 0, seconds = 0, flops = 0;
  bool none() const { return *this == FactUnit{}; }
  std::string text() const;  // "B/s"; "" of a bare number
  bool operator==(const FactUnit&) const = default;
};
inline constexpr FactUnit kBytes{1, 0, 0}, kSeconds{0, 1, 0}, kFlops{0, 0, 1};

// How a bare number is written: "1,024" or "2.5", "82 %", "1.00" of two times or sizes. Arithmetic forgets
// it.
enum class Written : uint8_t { plain, percent, ratio };

struct Quantity {
  double number = 0;
  FactUnit unit{};
  Written written = Written::plain;
  bool operator==(const Quantity&) const = default;
};

using FactNames = std::vector<std::string>;
using FactValue = std::variant<Quantity, bool, std::string, FactNames>;

inline FactValue count_value(double number) {
  return Quantity{number};
}
inline FactValue percent_value(double fraction) {
  return Quantity{fraction, {}, Written::percent};
}
// "a bare number", "a text"
std::string kind_of(const FactValue& value);

// As people read it: "46.6 µs", "2.0 MiB", "1,024", "2.50", "yes", "a0 and a3".
std::string words_of(const FactValue& value);

// How a number of this unit may be written, "us", and what one of it is worth; a bare one with "" too.
std::vector<std::pair<std::string, double>> written_units(const FactUnit& unit);
// "us", "KiB", "GB/s": what a number written before it is worth. Error: no such unit.
Result<Quantity> unit_of(std::string_view written);

Result<FactValue> add(const FactValue& a, const FactValue& b);
Result<FactValue> subtract(const FactValue& a, const FactValue& b);
Result<FactValue> multiply(const FactValue& a, const FactValue& b);
Result<FactValue> divide(const FactValue& a, const FactValue& b);     // error: by 0
Result<FactValue> remainder(const FactValue& a, const FactValue& b);  // of whole numbers
Result<FactValue> negate(const FactValue& a);
// Numbers to a millionth of a millionth of the larger; a list with one name equals that name.
Result<bool> equal(const FactValue& a, const FactValue& b);
Result<bool> less(const FactValue& a, const FactValue& b);

}  // namespace shardscope::inline lesson
