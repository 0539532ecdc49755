// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardscope::inline program {

// `repeats` equal stretches of `period` entries one after the other, from `begin` on.
struct RepeatedPart {
  size_t begin = 0, period = 0, repeats = 0;
  size_t end() const { return begin + period * repeats; }
  bool operator==(const RepeatedPart&) const = default;
};

// Stretches of a sequence that repeat, apart from each other and in order: of the distances at which the same
// short stretch comes again the most frequent ones are tried, the one that covers most first. Time: a
// constant number of passes.
std::vector<RepeatedPart> repeated_parts(const std::vector<uint64_t>& sequence);

}  // namespace shardscope::inline program
