// SPDX-License-Identifier: Apache-2.0
// Element types as C++ sees them: how one is stored, in which type one computes, and how to come from one to
// the other. Inline, because these stand in innermost loops.
#pragma once

#include <bit>
#include <cstdint>

#include "engine/base/element_type.h"

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

struct F32 {
  using Stored = float;
  using Computed = float;
  static float load(float v) { return v; }
  static float store(float v) { return v; }
};
struct F64 {
  using Stored = double;
  using Computed = double;
  static double load(double v) { return v; }
  static double store(double v) { return v; }
};
struct BF16 {
  using Stored = uint16_t;
  using Computed = float;
  static float load(uint16_t v) { return from_bf16(v); }
  static uint16_t store(float v) { return to_bf16(v); }
};
struct F16 {
  using Stored = uint16_t;
  using Computed = float;
  static float load(uint16_t v) { return from_f16(v); }
  static uint16_t store(float v) { return to_f16(v); }
};
// Integers compute in int64 and wrap when stored.
struct S32 {
  using Stored = int32_t;
  using Computed = int64_t;
  static int64_t load(int32_t v) { return v; }
  static int32_t store(int64_t v) { return static_cast<int32_t>(static_cast<uint32_t>(v)); }
};
struct U32 {
  using Stored = uint32_t;
  using Computed = int64_t;
  static int64_t load(uint32_t v) { return v; }
  static uint32_t store(int64_t v) { return static_cast<uint32_t>(v); }
};
template <class T>
struct Integer {
  using Stored = T;
  using Computed = int64_t;
  static int64_t load(T v) { return static_cast<int64_t>(v); }
  static T store(int64_t v) { return static_cast<T>(static_cast<uint64_t>(v)); }
};
using S8 = Integer<int8_t>;
using S16 = Integer<int16_t>;
using S64 = Integer<int64_t>;
using U8 = Integer<uint8_t>;
using U16 = Integer<uint16_t>;
using U64 = Integer<uint64_t>;  // computed as the s64 of the same bits, see elementwise.cpp
struct Pred {
  using Stored = uint8_t;
  using Computed = int64_t;
  static int64_t load(uint8_t v) { return v; }
  static uint8_t store(int64_t v) { return v != 0; }
};

// Calls f with the tag of `type`; false when it is none of the types that products are made of.
template <class F>
bool visit_main(ElementType type, F&& f) {
  switch (type) {
    case ElementType::f32:
      f(F32{});
      return true;
    case ElementType::f64:
      f(F64{});
      return true;
    case ElementType::bf16:
      f(BF16{});
      return true;
    case ElementType::f16:
      f(F16{});
      return true;
    case ElementType::s32:
      f(S32{});
      return true;
    case ElementType::u32:
      f(U32{});
      return true;
    case ElementType::pred:
      f(Pred{});
      return true;
    default:
      return false;
  }
}

// The same with all types; false when there are no arrays of that type.
template <class F>
bool visit(ElementType type, F&& f) {
  switch (type) {
    case ElementType::s8:
      f(S8{});
      return true;
    case ElementType::s16:
      f(S16{});
      return true;
    case ElementType::s64:
      f(S64{});
      return true;
    case ElementType::u8:
      f(U8{});
      return true;
    case ElementType::u16:
      f(U16{});
      return true;
    case ElementType::u64:
      f(U64{});
      return true;
    default:
      return visit_main(type, f);
  }
}

inline bool has_arrays(ElementType type) {
  return visit(type, [](auto) {});
}

}  // namespace shardscope::element
