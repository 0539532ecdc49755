// SPDX-License-Identifier: Apache-2.0
// Floats of eight bits and less: from and to f32. Inline, because these stand in innermost loops.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "engine/base/float_format.h"

namespace shardscope::inline numerics::element {

// All numbers of a type by their bits.
using SmallFloats = std::array<float, 256>;
extern const std::array<SmallFloats, static_cast<size_t>(ElementType::opaque) + 1> kSmallFloats;

// To the nearest, of two the one whose last digit is 0. What rounds beyond the largest number is infinite, or
// no number where the type has no infinity, the largest one where there are numbers
// only; powers of two have neither zero nor a sign: those are no number.
template <ElementType type>
uint8_t to_small_float(float value) {
  constexpr FloatFormat kFormat = float_format(type);
  constexpr int kCut = 23 - kFormat.fraction;
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const auto sign = static_cast<uint8_t>((bits >> (32 - kFormat.bits)) & kFormat.sign_bit());
  constexpr auto kNan = static_cast<uint8_t>(kFormat.nan());
  // What has no code for no number has -0 there, as XLA does.
  if (magnitude > 0x7f800000u)
    return kFormat.has_nan() ? kNan | sign : static_cast<uint8_t>(kFormat.sign_bit());
  if constexpr (!kFormat.has_sign()) {
    if (bits > 0x7f800000u || magnitude == 0) return kNan;
  }
  uint32_t code = 0;
  constexpr int kLeast = std::max(kFormat.least_exponent(), -126);  // f32's
  if (magnitude < static_cast<uint32_t>(kLeast + 127) << 23) {
    // Scaled so that the last place is f32's: adding 2^23 makes the adder round there.
    constexpr float kScale =
        std::bit_cast<float>(static_cast<uint32_t>(127 + kFormat.fraction - kLeast) << 23);
    const float scaled = std::bit_cast<float>(magnitude) * kScale;
    code = kFormat.has_zero() ? std::bit_cast<uint32_t>(scaled + 0x1p23f) & 0x7fffffu : scaled >= 0.75f;
  } else {
    // Powers of two have one digit, which is odd: half way they go up.
    const uint32_t odd = kFormat.has_zero() ? (magnitude >> kCut) & 1u : 1;
    const uint32_t rounded = (magnitude + (uint32_t{1} << (kCut - 1)) - 1 + odd) >> kCut;
    code = rounded - (static_cast<uint32_t>(127 - kFormat.bias) << kFormat.fraction);
  }
  if (code > kFormat.largest()) return static_cast<uint8_t>(kFormat.beyond()) | sign;
  if (kFormat.codes == FloatCodes::one_zero && code == 0) return 0;
  return static_cast<uint8_t>(code) | sign;
}

template <ElementType type>
float from_small_float(uint8_t code) {
  return kSmallFloats[static_cast<size_t>(type)][code];
}

}  // namespace shardscope::inline numerics::element
