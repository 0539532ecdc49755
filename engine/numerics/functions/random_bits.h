// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers (J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011),
// and which of them XLA takes for which element.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/base/element_type.h"
#include "engine/program/ir/attributes.h"

namespace shardscope::inline numerics {

// Threefry-2x32, 20 rounds.
std::array<uint32_t, 2> threefry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter);
// Philox-4x32, 10 rounds.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter);

// HLO's rng-bit-generator as XLA:CPU carries it out: `state` is a key and one or two numbers of a counter,
// and moves on; out[e] holds the bits of element e of an array of `dims`, in its low `width` bits. DEFAULT is
// Philox.
std::vector<uint64_t> random_bits(RandomAlgorithm algorithm, int width, const std::vector<int64_t>& dims,
                                  std::vector<uint64_t>& state);

}  // namespace shardscope::inline numerics
