// SPDX-License-Identifier: Apache-2.0
// JAX's counter-based random numbers (jax/_src/prng.py, jax/_src/random.py): a notebook's data, bit for bit.
#pragma once

#include <cstdint>

namespace shardscope::inline numerics {

// jax.random.key(seed): the seed's high and low 32 bits.
struct JaxKey {
  uint32_t high = 0, low = 0;
  bool operator==(const JaxKey&) const = default;
};
JaxKey jax_key(uint64_t seed);

// Key `index` of jax.random.split(key).
JaxKey jax_split(JaxKey key, uint32_t index);

// Element `i` of jax.random.normal(key, shape, dtype), √2·erfinv(u) in f32, for the caller to round to the
// type: u is uniform in (−1, 1) with the type's own mantissa bits, of 8 random bits for bf16 (so 128 values),
// 16 for f16 and 32 for f32.
float jax_normal_bf16(JaxKey key, uint64_t i);
float jax_normal_f16(JaxKey key, uint64_t i);
float jax_normal_f32(JaxKey key, uint64_t i);

}  // namespace shardscope::inline numerics
