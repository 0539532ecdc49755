// SPDX-License-Identifier: Apache-2.0
// Elements of any type by a rule that tests/oracle/make_type_goldens.py knows too, and a hash of what came of
// them.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "engine/base/float_format.h"
#include "engine/numerics/array/drawn.h"
#include "engine/numerics/array/element.h"

namespace shardscope::type_streams {

inline std::vector<ElementType> array_types() {
  std::vector<ElementType> out;
  for (size_t k = 0; k < static_cast<size_t>(ElementType::token); ++k)
    out.push_back(static_cast<ElementType>(k));
  return out;
}

// Codes as an array of the type: those of signed integers of less than a byte get their sign.
inline Array of_codes(ElementType type, const std::vector<uint64_t>& codes) {
  Array array = Array::allocate(type, {static_cast<int64_t>(codes.size())});
  element::visit_real(type, [&](auto tag) {
    using Tag = decltype(tag);
    auto out = array.mutable_as<typename Tag::Stored>();
    for (size_t i = 0; i < codes.size(); ++i) {
      if constexpr (element::kInteger<Tag>)
        out[i] = Tag::store(static_cast<int64_t>(codes[i]));
      else
        std::memcpy(&out[i], &codes[i], sizeof(out[i]));
    }
  });
  return array;
}

inline std::vector<uint64_t> float_codes(int bits, size_t n, uint64_t stream) {
  const int fraction = bits == 32 ? 23 : 52;
  const uint64_t bias = bits == 32 ? 127 : 1023, sign = uint64_t{1} << (bits - 1);
  const uint64_t infinite = ((uint64_t{1} << (bits - 1 - fraction)) - 1) << fraction;
  std::vector<uint64_t> out;
  for (uint64_t i = stream << 32; out.size() < n; ++i) {
    const uint64_t r = mixed_bits(i), s = mixed_bits(i + (uint64_t{1} << 48)), keep = s % 13;
    const uint64_t cut = static_cast<uint64_t>(fraction) - keep;
    const uint64_t mantissa = (r >> (64 - fraction)) >> cut << cut, exponent = bias - 100 + (s >> 8) % 226;
    const uint64_t near = ((exponent << fraction) | mantissa) + (s >> 20) % 3 - 1;
    out.push_back(near | ((s >> 40) & 1) * sign);
  }
  const uint64_t first[] = {0, sign, infinite, infinite | sign, infinite | uint64_t{1} << (fraction - 1)};
  std::copy(std::begin(first), std::end(first), out.begin());
  return out;
}

inline Array stream(ElementType type, uint64_t which = 0, size_t n = 4096) {
  const int width = type == ElementType::pred ? 1 : static_cast<int>(bits(type));
  if (is_complex(type)) {
    const std::vector<uint64_t> real = float_codes(width / 2, n, 2 * which + 1),
                                imaginary = float_codes(width / 2, n, 2 * which + 2);
    Array array = Array::allocate(type, {static_cast<int64_t>(n)});
    const size_t half = static_cast<size_t>(width) / 16;
    for (size_t i = 0; i < n; ++i) {
      std::memcpy(array.mutable_data() + 2 * i * half, &real[i], half);
      std::memcpy(array.mutable_data() + (2 * i + 1) * half, &imaginary[i], half);
    }
    return array;
  }
  std::vector<uint64_t> codes;
  const bool number = !is_floating(type);
  if (number && (which != 0 || width > 16)) {
    for (uint64_t i = which << 32; codes.size() < n; ++i) {
      const uint64_t x = mixed_bits(i) >> (mixed_bits(i + (uint64_t{1} << 48)) % 64);
      const uint64_t signed_x = (mixed_bits(i + (uint64_t{1} << 49)) & 1) != 0 ? 0 - x : x;
      codes.push_back(width == 64 ? signed_x : signed_x & ((uint64_t{1} << width) - 1));
    }
  } else if (width > 16) {
    codes = float_codes(width, n, which + 1);
  } else {
    std::vector<uint64_t> every;
    for (uint64_t code = 0; code < uint64_t{1} << width; ++code)
      every.push_back(type == ElementType::bf16 && (code & 0x7f80) == 0 ? 0 : code);
    for (uint64_t i = 0; which != 0 && i < n; ++i)
      codes.push_back(every[mixed_bits(i + (which << 32)) % every.size()]);
    if (which == 0) codes = every;
  }
  return of_codes(type, codes);
}

// What elements are, as 64 bits each: real parts, then imaginary ones.
inline std::vector<uint64_t> words(const Array& array) {
  std::vector<uint64_t> out;
  const auto of_float = [](double value) {
    return std::isnan(value) ? 0x7ff8000000000000u : std::bit_cast<uint64_t>(value);
  };
  element::visit(array.type(), [&](auto tag) {
    using Tag = decltype(tag);
    const auto elements = array.as<typename Tag::Stored>();
    for (const auto stored : elements) {
      if constexpr (element::kInteger<Tag>)
        out.push_back(static_cast<uint64_t>(Tag::load(stored)));
      else
        out.push_back(of_float(static_cast<double>(element::real_part(Tag::load(stored)))));
    }
    if constexpr (element::kComplex<Tag>)
      for (const auto stored : elements) out.push_back(of_float(static_cast<double>(stored.imag())));
  });
  return out;
}

inline uint64_t total(const Array& array) {
  uint64_t sum = 0, place = 0;
  for (const uint64_t word : words(array)) sum += mixed_bits(word ^ mixed_bits(place++));
  return sum;
}

}  // namespace shardscope::type_streams
