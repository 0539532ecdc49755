// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>

#include "engine/numerics/array/array.h"
#include "engine/numerics/array/element.h"

namespace shardscope {

namespace {

// f64 -> f32 rounded to odd: the last bit remembers that something was cut off, so that a second rounding to
// fewer bits gives what one rounding would (Boldo & Melquiond, "When double rounding is odd", 2005).
float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(nearest) == value) return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (std::isinf(nearest)) return value > 0 ? 0x1.fffffep127f : -0x1.fffffep127f;
  const bool too_big = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  if (too_big) --bits;  // towards zero; the sign stays
  return std::bit_cast<float>(bits | 1u);
}

}  // namespace

uint16_t bf16_from_f32(float value) {
  return element::to_bf16(value);
}
float f32_from_bf16(uint16_t bits) {
  return element::from_bf16(bits);
}
uint16_t f16_from_f32(float value) {
  return element::to_f16(value);
}
float f32_from_f16(uint16_t bits) {
  return element::from_f16(bits);
}

uint16_t bf16_from_f64(double value) {
  if (std::isinf(value)) return element::to_bf16(static_cast<float>(value));
  return element::to_bf16(round_to_odd(value));
}

uint16_t f16_from_f64(double value) {
  if (std::isinf(value)) return element::to_f16(static_cast<float>(value));
  return element::to_f16(round_to_odd(value));
}

}  // namespace shardscope
