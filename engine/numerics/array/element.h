// SPDX-License-Identifier: Apache-2.0
// Element types as C++ sees them: how one is stored, in which type one computes, and how to come from one to
// the other. Inline, because these stand in innermost loops.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "engine/base/element_type.h"
#include "engine/numerics/array/small_float.h"

namespace shardscope::element {

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

// What one element of a type is. Stored: in memory; Computed: in calculations; load and store come from one
// to the other. Types without an Element have no arrays.
template <ElementType type>
struct Element;

// Stored as it is computed with.
template <class T>
struct Plain {
  using Stored = T;
  using Computed = T;
  static T load(T v) { return v; }
  static T store(T v) { return v; }
};
template <ElementType type>
struct SmallFloat {
  using Stored = uint8_t;
  using Computed = float;
  static float load(uint8_t v) { return from_small_float<type>(v); }
  static uint8_t store(float v) { return to_small_float<type>(v); }
};
// Integers compute in int64 and wrap when stored.
template <class T>
struct Integer {
  using Stored = T;
  using Computed = int64_t;
  static int64_t load(T v) { return static_cast<int64_t>(v); }
  static T store(int64_t v) { return static_cast<T>(static_cast<uint64_t>(v)); }
};

template <>
struct Element<ElementType::pred> {
  using Stored = uint8_t;
  using Computed = int64_t;
  static int64_t load(uint8_t v) { return v; }
  static uint8_t store(int64_t v) { return v != 0; }
};
template <>
struct Element<ElementType::s8> : Integer<int8_t> {};
template <>
struct Element<ElementType::s16> : Integer<int16_t> {};
template <>
struct Element<ElementType::s32> : Integer<int32_t> {};
template <>
struct Element<ElementType::s64> : Integer<int64_t> {};
template <>
struct Element<ElementType::u8> : Integer<uint8_t> {};
template <>
struct Element<ElementType::u16> : Integer<uint16_t> {};
template <>
struct Element<ElementType::u32> : Integer<uint32_t> {};
template <>
struct Element<ElementType::u64> : Integer<uint64_t> {};  // computed as the s64 of the same bits
template <>
struct Element<ElementType::f8e3m4> : SmallFloat<ElementType::f8e3m4> {};
template <>
struct Element<ElementType::f8e4m3> : SmallFloat<ElementType::f8e4m3> {};
template <>
struct Element<ElementType::f8e4m3b11fnuz> : SmallFloat<ElementType::f8e4m3b11fnuz> {};
template <>
struct Element<ElementType::f8e4m3fn> : SmallFloat<ElementType::f8e4m3fn> {};
template <>
struct Element<ElementType::f8e4m3fnuz> : SmallFloat<ElementType::f8e4m3fnuz> {};
template <>
struct Element<ElementType::f8e5m2> : SmallFloat<ElementType::f8e5m2> {};
template <>
struct Element<ElementType::f8e5m2fnuz> : SmallFloat<ElementType::f8e5m2fnuz> {};
template <>
struct Element<ElementType::f8e8m0fnu> : SmallFloat<ElementType::f8e8m0fnu> {};
template <>
struct Element<ElementType::bf16> {
  using Stored = uint16_t;
  using Computed = float;
  static float load(uint16_t v) { return from_bf16(v); }
  static uint16_t store(float v) { return to_bf16(v); }
};
template <>
struct Element<ElementType::f16> {
  using Stored = uint16_t;
  using Computed = float;
  static float load(uint16_t v) { return from_f16(v); }
  static uint16_t store(float v) { return to_f16(v); }
};
template <>
struct Element<ElementType::f32> : Plain<float> {};
template <>
struct Element<ElementType::f64> : Plain<double> {};

using F32 = Element<ElementType::f32>;
using F64 = Element<ElementType::f64>;
using BF16 = Element<ElementType::bf16>;
using S64 = Element<ElementType::s64>;
using U64 = Element<ElementType::u64>;
using Pred = Element<ElementType::pred>;

// A float that is stored in fewer bits than it is computed in.
template <class Tag>
inline constexpr bool kNarrow = std::is_same_v<typename Tag::Computed, float> &&
                                sizeof(typename Tag::Stored) < 4;

template <ElementType type>
concept HasElement = requires {
  typename Element<type>::Stored;
};

template <ElementType type, class F>
bool visit_one(F&& f) {
  if constexpr (HasElement<type>) f(Element<type>{});
  return HasElement<type>;
}

// Calls f with the Element of `type`; false when there are no arrays of that type.
template <class F>
bool visit(ElementType type, F&& f) {
  switch (type) {
#define ELEMENT_TYPE(name, ...) \
  case ElementType::name:       \
    return visit_one<ElementType::name>(f);
#include "engine/base/element_types.def"
#undef ELEMENT_TYPE
  }
  return false;
}

inline bool has_arrays(ElementType type) {
  return visit(type, [](auto) {});
}

}  // namespace shardscope::element
