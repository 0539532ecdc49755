// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace shardscope::inline program {

// The dimensions of a product's operand that are neither of the batch nor contracted, ascending.
inline std::vector<int64_t> free_dims(size_t rank, const std::vector<int64_t>& batch,
                                      const std::vector<int64_t>& contracting) {
  std::vector<int64_t> out;
  for (int64_t dim = 0; dim < static_cast<int64_t>(rank); ++dim)
    if (std::ranges::count(batch, dim) + std::ranges::count(contracting, dim) == 0) out.push_back(dim);
  return out;
}

}  // namespace shardscope::inline program
