// SPDX-License-Identifier: Apache-2.0
// What number the bits of a floating type are: a sign, an exponent that is stored with a bias, the bits
// behind the leading one. Small types spend the codes of infinities on numbers, each in its own way.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/element_type.h"

namespace shardscope {

enum class FloatCodes : uint8_t {
  none,         // no float
  ieee,         // the greatest exponent: infinity, and NaN where a bit stands behind it
  no_infinity,  // all bits of exponent and fraction: NaN
  one_zero,     // the bits of -0: NaN; no infinity
  finite,       // numbers only
  powers,       // 2^(code - bias), no sign and no zero; all bits: NaN
};

struct FloatFormat {
  int bits = 0, fraction = 0, bias = 0;
  FloatCodes codes = FloatCodes::none;

  constexpr bool has_sign() const { return codes != FloatCodes::powers; }
  constexpr bool has_zero() const { return codes != FloatCodes::powers; }
  constexpr bool has_infinity() const { return codes == FloatCodes::ieee; }
  constexpr bool has_nan() const { return codes != FloatCodes::finite; }
  constexpr uint64_t sign_bit() const { return has_sign() ? uint64_t{1} << (bits - 1) : 0; }
  constexpr uint64_t magnitude_bits() const {
    return (has_sign() ? uint64_t{1} << (bits - 1) : uint64_t{1} << bits) - 1;
  }
  // The exponent of the least number with a leading one; subnormal ones are spaced as its neighbours are.
  constexpr int least_exponent() const { return has_zero() ? 1 - bias : -bias; }
  // The bits of the largest number.
  constexpr uint64_t largest() const {
    if (codes == FloatCodes::ieee) return (magnitude_bits() >> fraction << fraction) - 1;
    return magnitude_bits() - (codes == FloatCodes::no_infinity || codes == FloatCodes::powers ? 1 : 0);
  }
  constexpr int greatest_exponent() const { return static_cast<int>(largest() >> fraction) - bias; }
  // The bits of what is no number; of what is beyond all numbers: infinity where there is one.
  constexpr uint64_t nan() const {
    if (codes == FloatCodes::ieee) return largest() + 1 + (uint64_t{1} << (fraction - 1));
    return codes == FloatCodes::one_zero ? sign_bit() : has_nan() ? magnitude_bits() : largest();
  }
  constexpr uint64_t beyond() const { return has_infinity() ? largest() + 1 : nan(); }
};

// In the order of ElementType.
inline constexpr FloatFormat kFloatFormats[] = {
#define ELEMENT_TYPE(name, bits, kind, digits, numpy, sums, result, peak, listed, rtol, bias, codes) \
  {bits, (digits)-1, bias, FloatCodes::codes},
#include "engine/base/element_types.def"
#undef ELEMENT_TYPE
};

constexpr FloatFormat float_format(ElementType type) {
  return kFloatFormats[static_cast<size_t>(type)];
}

// The number that `code` is, of a float. Exact: f64 holds all of them.
double float_value(ElementType type, uint64_t code);
double largest_float(ElementType type);
// From here on a number rounds to none of the type's.
double float_limit(ElementType type);

}  // namespace shardscope
