// SPDX-License-Identifier: Apache-2.0
// Element types as C++ sees them: how one is stored, in which type one computes, and how to come from one to
// the other. Inline, because these stand in innermost loops.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "engine/base/element_type.h"
#include "engine/numerics/array/half_float.h"
#include "engine/numerics/array/small_float.h"

namespace shardscope::inline numerics::element {

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
// Integers compute in int64 and wrap when stored. Those of less than a byte lie in one of their own, as the
// number that they are: its unused bits repeat the sign, or are 0.
template <class T, int width>
struct Integer {
  using Stored = T;
  using Computed = int64_t;
  static constexpr int kBits = width;
  static int64_t load(T v) { return static_cast<int64_t>(v); }
  static T store(int64_t v) {
    constexpr int kUnused = 64 - width;
    const uint64_t high = static_cast<uint64_t>(v) << kUnused;
    return static_cast<T>(std::is_signed_v<T> ? static_cast<uint64_t>(static_cast<int64_t>(high) >> kUnused)
                                              : high >> kUnused);
  }
};
template <class T>
struct Complex : Plain<std::complex<T>> {};

template <>
struct Element<ElementType::pred> {
  using Stored = uint8_t;
  using Computed = int64_t;
  static constexpr int kBits = 8;
  static int64_t load(uint8_t v) { return v; }
  static uint8_t store(int64_t v) { return v != 0; }
};
template <>
struct Element<ElementType::s1> : Integer<int8_t, 1> {};
template <>
struct Element<ElementType::s2> : Integer<int8_t, 2> {};
template <>
struct Element<ElementType::s4> : Integer<int8_t, 4> {};
template <>
struct Element<ElementType::s8> : Integer<int8_t, 8> {};
template <>
struct Element<ElementType::s16> : Integer<int16_t, 16> {};
template <>
struct Element<ElementType::s32> : Integer<int32_t, 32> {};
template <>
struct Element<ElementType::s64> : Integer<int64_t, 64> {};
template <>
struct Element<ElementType::u1> : Integer<uint8_t, 1> {};
template <>
struct Element<ElementType::u2> : Integer<uint8_t, 2> {};
template <>
struct Element<ElementType::u4> : Integer<uint8_t, 4> {};
template <>
struct Element<ElementType::u8> : Integer<uint8_t, 8> {};
template <>
struct Element<ElementType::u16> : Integer<uint16_t, 16> {};
template <>
struct Element<ElementType::u32> : Integer<uint32_t, 32> {};
template <>
struct Element<ElementType::u64> : Integer<uint64_t, 64> {};  // computed as the s64 of the same bits
template <>
struct Element<ElementType::f4e2m1fn> : SmallFloat<ElementType::f4e2m1fn> {};
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
template <>
struct Element<ElementType::c64> : Complex<float> {};
template <>
struct Element<ElementType::c128> : Complex<double> {};

using F32 = Element<ElementType::f32>;
using F64 = Element<ElementType::f64>;
using BF16 = Element<ElementType::bf16>;
using S64 = Element<ElementType::s64>;
using U64 = Element<ElementType::u64>;
using Pred = Element<ElementType::pred>;

template <class Tag>
inline constexpr ElementType kType = ElementType::opaque;
template <ElementType type>
inline constexpr ElementType kType<Element<type>> = type;

// What a type's numbers are computed as.
template <class Tag>
inline constexpr bool kFloat = std::is_floating_point_v<typename Tag::Computed>;
template <class Tag>
inline constexpr bool kInteger = std::is_same_v<typename Tag::Computed, int64_t>;  // pred too
template <class Tag>
inline constexpr bool kComplex = !kFloat<Tag> && !kInteger<Tag>;

// A number without its imaginary part.
template <class C>
auto real_part(const C& value) {
  if constexpr (std::is_arithmetic_v<C>)
    return value;
  else
    return value.real();
}

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

// The same for types whose numbers are real.
template <class F>
bool visit_real(ElementType type, F&& f) {
  bool known = false;
  visit(type, [&](auto tag) {
    if constexpr (!kComplex<decltype(tag)>) {
      f(tag);
      known = true;
    }
  });
  return known;
}

inline bool has_arrays(ElementType type) {
  return visit(type, [](auto) {});
}

}  // namespace shardscope::inline numerics::element
