// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/data/jax_random.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/numerics/array/element.h"
#include "engine/numerics/functions/random_bits.h"
#include "engine/numerics/functions/special_functions.h"

namespace shardscope::inline numerics {
namespace {

// The random bits of element i: its number is the counter, whatever the array's shape (JAX's
// jax_threefry_partitionable, the default since JAX 0.5).
uint32_t random_bits(JaxKey key, uint64_t i) {
  const auto [a, b] =
      threefry2x32({key.high, key.low}, {static_cast<uint32_t>(i >> 32), static_cast<uint32_t>(i)});
  return a ^ b;
}

// Uniform in [0, 1): `mantissa` random bits behind a leading one, minus one.
float unit(uint32_t bits, int mantissa) {
  return static_cast<float>(bits) * std::ldexp(1.0F, -mantissa);
}

}  // namespace

JaxKey jax_key(uint64_t seed) {
  return {static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(seed)};
}

JaxKey jax_split(JaxKey key, uint32_t index) {
  const auto [high, low] = threefry2x32({key.high, key.low}, {0, index});
  return {high, low};
}

// The interval's ends are nextafter(−1, 0) and 1 in the type, and their difference rounds to 2. erfinv's
// result is not rounded to a 16-bit type before the product with √2: XLA keeps it in f32.
float jax_normal_bf16(JaxKey key, uint64_t i) {
  const float u = unit((random_bits(key, i) & 0xFFU) >> 1, 7) * 2 - (1 - 0x1p-8F);
  return element::from_bf16(element::to_bf16(std::sqrt(2.0F))) * special::erf_inv(u);
}

float jax_normal_f16(JaxKey key, uint64_t i) {
  const float low = -(1 - 0x1p-11F);
  const float u =
      element::from_f16(element::to_f16(unit((random_bits(key, i) & 0xFFFFU) >> 6, 10) * 2 + low));
  return element::from_f16(element::to_f16(std::sqrt(2.0F))) * special::erf_inv(std::max(low, u));
}

float jax_normal_f32(JaxKey key, uint64_t i) {
  const float low = -(1 - 0x1p-24F);
  return std::sqrt(2.0F) * special::erf_inv(std::max(low, unit(random_bits(key, i) >> 9, 23) * 2 + low));
}

}  // namespace shardscope::inline numerics
