// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/functions/random_bits.h"

#include <algorithm>
#include <bit>

namespace shardscope::inline numerics {
namespace {

std::array<uint32_t, 2> halves(uint64_t x) {
  return {static_cast<uint32_t>(x), static_cast<uint32_t>(x >> 32)};
}
uint64_t joined(uint32_t low, uint32_t high) {
  return (static_cast<uint64_t>(high) << 32) | low;
}

int64_t count_of_elements(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (const int64_t size : dims) count *= size;
  return count;
}

// Two elements share a block of two numbers: neighbours along the first dimension of even size, else along
// the largest.
struct Pairs {
  int64_t size = 1, inner = 1;  // of that dimension, and elements behind one of its places
  int64_t blocks = 1;

  explicit Pairs(const std::vector<int64_t>& dims) {
    if (dims.empty()) return;
    auto split = std::ranges::find_if(dims, [](int64_t d) { return d % 2 == 0; });
    if (split == dims.end()) split = std::ranges::max_element(dims);
    size = *split;
    for (auto d = split + 1; d != dims.end(); ++d) inner *= *d;
    blocks = size == 0 ? 0 : count_of_elements(dims) / size * half();
  }
  int64_t half() const { return (size + 1) / 2; }
};

std::vector<uint64_t> threefry_bits(int width, const std::vector<int64_t>& dims,
                                    std::vector<uint64_t>& state) {
  std::vector<uint64_t> out(static_cast<size_t>(count_of_elements(dims)));
  const auto key = halves(state[0]);
  const auto block = [&](int64_t n) {
    return threefry2x32(key, halves(state[1] + static_cast<uint64_t>(n)));
  };
  if (width == 64) {
    for (size_t e = 0; e < out.size(); ++e) {
      const auto [low, high] = block(static_cast<int64_t>(e));
      out[e] = joined(low, high);
    }
    state[1] += out.size();
    return out;
  }
  const Pairs pairs(dims);
  for (size_t e = 0; e < out.size(); ++e) {
    const auto at = static_cast<int64_t>(e);
    const int64_t place = at / pairs.inner % pairs.size, before = at / (pairs.inner * pairs.size);
    const int64_t n = (before * pairs.half() + place / 2) * pairs.inner + at % pairs.inner;
    out[e] = block(n)[static_cast<size_t>(place % 2)];
  }
  state[1] += static_cast<uint64_t>(pairs.blocks);
  return out;
}

// Blocks of four numbers, one after the other. A counter of one number has the key behind it.
std::vector<uint64_t> philox_bits(int width, const std::vector<int64_t>& dims, std::vector<uint64_t>& state) {
  std::vector<uint64_t> out(static_cast<size_t>(count_of_elements(dims)));
  const size_t each = width == 64 ? 2 : 4, blocks = (out.size() + each - 1) / each;
  const uint64_t start = state[1];
  uint64_t high = state.size() > 2 ? state[2] : state[0];
  for (size_t b = 0; b < blocks; ++b) {
    const uint64_t low = start + b, carried = high + (low < start ? 1 : 0);
    const auto [l0, l1] = halves(low);
    const auto [h0, h1] = halves(carried);
    const auto bits = philox4x32(halves(state[0]), {l0, l1, h0, h1});
    for (size_t k = 0; k < each && b * each + k < out.size(); ++k)
      out[b * each + k] = width == 64 ? joined(bits[2 * k], bits[2 * k + 1]) : bits[k];
  }
  state[1] = start + blocks;
  if (state.size() > 2 && state[1] < start) ++state[2];
  return out;
}

}  // namespace

std::array<uint32_t, 2> threefry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter) {
  constexpr std::array<std::array<int, 4>, 2> kRotations = {{{13, 15, 26, 6}, {17, 29, 16, 24}}};
  const std::array<uint32_t, 3> schedule = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAU};
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

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53U} * counter[0], b = uint64_t{0xCD9E8D57U} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

std::vector<uint64_t> random_bits(RandomAlgorithm algorithm, int width, const std::vector<int64_t>& dims,
                                  std::vector<uint64_t>& state) {
  return algorithm == RandomAlgorithm::three_fry ? threefry_bits(width, dims, state)
                                                 : philox_bits(width, dims, state);
}

}  // namespace shardscope::inline numerics
