// SPDX-License-Identifier: Apache-2.0
#include "engine/base/float_format.h"

#include <bit>
#include <cmath>

namespace shardscope {

double float_value(ElementType type, uint64_t code) {
  if (type == ElementType::f64) return std::bit_cast<double>(code);
  if (type == ElementType::f32) return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(code)));
  const FloatFormat format = float_format(type);
  if (format.codes == FloatCodes::one_zero && code == format.nan()) return NAN;
  const uint64_t magnitude = code & format.magnitude_bits();
  const double sign = (code & format.sign_bit()) != 0 ? -1.0 : 1.0;
  if (magnitude > format.largest())
    return format.has_infinity() && magnitude == format.beyond() ? sign * INFINITY : NAN;
  const auto exponent = static_cast<int>(magnitude >> format.fraction);
  const uint64_t fraction = magnitude & ((uint64_t{1} << format.fraction) - 1);
  const bool leading = exponent > 0 || !format.has_zero();
  const uint64_t digits = fraction + (leading ? uint64_t{1} << format.fraction : 0);
  return sign * std::ldexp(static_cast<double>(digits),
                           (leading ? exponent - format.bias : format.least_exponent()) - format.fraction);
}

double largest_float(ElementType type) {
  return float_value(type, float_format(type).largest());
}

double float_limit(ElementType type) {
  const FloatFormat format = float_format(type);
  if (type == ElementType::f64 || !format.has_nan()) return HUGE_VAL;
  return largest_float(type) + std::ldexp(1.0, format.greatest_exponent() - format.fraction - 1);
}

}  // namespace shardscope
