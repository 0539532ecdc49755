// SPDX-License-Identifier: Apache-2.0
// Numbers that look drawn and are the same in every process and on every machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace shardscope {

// S. Vigna's splitmix64.
constexpr uint64_t kSplitMixStep = 0x9e3779b97f4a7c15U;
constexpr uint64_t mixed_bits(uint64_t x) {
  x += kSplitMixStep;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

// The next bits of a generator.
constexpr uint64_t drawn_bits(uint64_t& state) {
  const uint64_t out = mixed_bits(state);
  state += kSplitMixStep;
  return out;
}

// FNV-1a, from another start for each seed. http://www.isthe.com/chongo/tech/comp/fnv/
constexpr uint64_t text_hash(std::string_view text, uint64_t seed = 0) {
  uint64_t hash = 0xcbf29ce484222325U ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

}  // namespace shardscope
