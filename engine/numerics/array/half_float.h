// SPDX-License-Identifier: Apache-2.0
// Floats of sixteen bits: from and to f32. Inline, because these stand in innermost loops.
#pragma once

#include <bit>
#include <cstdint>

namespace shardscope::inline numerics::element {

inline uint16_t to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);  // quiet NaN
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline float from_bf16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

inline uint16_t to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65520 and above
  if (magnitude < 0x38800000u) {
    // Below the least normal f16: adding 0.5 makes the f32 adder round at f16's last place (2^-24).
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

// Scaling by 2^112 rebiases the exponent and normalises subnormals at once.
inline float from_f16(uint16_t bits) {
  const float scaled = std::bit_cast<float>(static_cast<uint32_t>(bits & 0x7fffu) << 13) * 0x1p112f;
  uint32_t out = std::bit_cast<uint32_t>(scaled);
  if (scaled >= 65536.0f) out |= 0x7f800000u;
  return std::bit_cast<float>(out | (static_cast<uint32_t>(bits & 0x8000u) << 16));
}

// f64 -> f32 rounded to odd: the last bit remembers that something was cut off, so that a second rounding to
// fewer bits gives what one rounding would (Boldo & Melquiond, "When double rounding is odd", 2005).
inline float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (value != value || static_cast<double>(nearest) == value) return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  constexpr float kLargest = 0x1.fffffep127f;
  if (nearest > kLargest || nearest < -kLargest)
    return value > 0 ? kLargest : -kLargest;  // not infinite itself
  const bool too_big =
      value > 0 ? static_cast<double>(nearest) > value : static_cast<double>(nearest) < value;
  if (too_big) --bits;  // towards zero; the sign stays
  return std::bit_cast<float>(bits | 1u);
}

}  // namespace shardscope::inline numerics::element
