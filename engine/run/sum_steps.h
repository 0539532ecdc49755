// SPDX-License-Identifier: Apache-2.0
// How a sum of a few numbers goes in a narrow float: each number is rounded when it is stored, and the
// running sum again when one is added. Round to nearest, ties to even, as every chip adds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/element_type.h"

namespace shardscope::inline run {

// One rounding.
struct SumStep {
  int64_t addend = 0;  // which number, from 0
  bool adds = false;   // the running sum after it was added; else the number when it is stored
  double exact = 0;    // before the rounding
  double stored = 0;   // after it
  double spacing = 0;  // between neighbours of the type there: one ulp
  double lost() const { return stored - exact; }
  double ulps() const { return spacing > 0 ? lost() / spacing : 0; }
  bool operator==(const SumStep&) const = default;
};

struct SumInType {
  ElementType type = ElementType::f32;
  std::vector<SumStep> steps;
  double result = 0;
};
// Nothing: the type is no narrow float, or a number is outside of what it holds as normal numbers.
std::optional<SumInType> sum_in(ElementType type, std::span<const double> numbers);

// A number's digits in a type: "1.0000010" and what does not fit behind them, "0111110…". Of what is not
// finite or 0: both empty.
struct BinaryDigits {
  bool negative = false;
  int exponent = 0;  // the number is ±1.xxx · 2^exponent
  std::string kept, cut;
};
BinaryDigits digits_in(ElementType type, double number, int most_cut);

}  // namespace shardscope::inline run
