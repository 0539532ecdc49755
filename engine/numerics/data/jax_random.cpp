// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/data/jax_random.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/numerics/array/element.h"

namespace shardscope {
namespace {

// As XLA's ErfInv32: the single-precision polynomials of M. Giles, "Approximating the erfinv function", 2011.
float erfinv(float x) {
  constexpr std::array<float, 9> near = {2.81022636e-08F,  3.43273939e-07F, -3.5233877e-06F,
                                         -4.39150654e-06F, 0.00021858087F,  -0.00125372503F,
                                         -0.00417768164F,  0.246640727F,    1.50140941F};
  constexpr std::array<float, 9> far = {-0.000200214257F, 0.000100950558F, 0.00134934322F,
                                        -0.00367342844F,  0.00573950773F,  -0.0076224613F,
                                        0.00943887047F,   1.00167406F,     2.83297682F};
  const float w = -std::log1p(-x * x);
  const bool is_near = w < 5;
  const float at = is_near ? w - 2.5F : std::sqrt(w) - 3.0F;
  const std::array<float, 9>& coefficients = is_near ? near : far;
  float p = coefficients[0];
  for (size_t i = 1; i < coefficients.size(); ++i) p = coefficients[i] + p * at;
  return p * x;
}

// The random bits of element i: its number is the counter, whatever the array's shape (JAX's
// jax_threefry_partitionable, the default since JAX 0.5).
uint32_t random_bits(JaxKey key, uint64_t i) {
  const auto [a, b] = threefry2x32(key, {static_cast<uint32_t>(i >> 32), static_cast<uint32_t>(i)});
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

std::array<uint32_t, 2> threefry2x32(JaxKey key, std::array<uint32_t, 2> counter) {
  constexpr std::array<std::array<int, 4>, 2> kRotations = {{{13, 15, 26, 6}, {17, 29, 16, 24}}};
  const std::array<uint32_t, 3> schedule = {key.high, key.low, key.high ^ key.low ^ 0x1BD11BDAU};
  uint32_t x = counter[0] + schedule[0], y = counter[1] + schedule[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (const int rotation : kRotations[group % 2]) {
      x += y;
      y = std::rotl(y, rotation) ^ x;
    }
    x += schedule[(group + 1) % 3];
    y += schedule[(group + 2) % 3] + group + 1;
  }
  return {x, y};
}

JaxKey jax_split(JaxKey key, uint32_t index) {
  const auto [high, low] = threefry2x32(key, {0, index});
  return {high, low};
}

// The interval's ends are nextafter(−1, 0) and 1 in the type, and their difference rounds to 2. erfinv's
// result is not rounded to a 16-bit type before the product with √2: XLA keeps it in f32.
float jax_normal_bf16(JaxKey key, uint64_t i) {
  const float u = unit((random_bits(key, i) & 0xFFU) >> 1, 7) * 2 - (1 - 0x1p-8F);
  return element::from_bf16(element::to_bf16(std::sqrt(2.0F))) * erfinv(u);
}

float jax_normal_f16(JaxKey key, uint64_t i) {
  const float low = -(1 - 0x1p-11F);
  const float u =
      element::from_f16(element::to_f16(unit((random_bits(key, i) & 0xFFFFU) >> 6, 10) * 2 + low));
  return element::from_f16(element::to_f16(std::sqrt(2.0F))) * erfinv(std::max(low, u));
}

float jax_normal_f32(JaxKey key, uint64_t i) {
  const float low = -(1 - 0x1p-24F);
  return std::sqrt(2.0F) * erfinv(std::max(low, unit(random_bits(key, i) >> 9, 23) * 2 + low));
}

}  // namespace shardscope
