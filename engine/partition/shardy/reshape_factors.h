// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace shardscope::inline partitioner {

// A factor of the dimensions of a reshape: of which dimension it is before and after, -1 where it is in none.
struct ReshapeFactor {
  int64_t from = -1, to = -1;
  int64_t size = 1;
};
// Major first in every dimension. Where both sides go on alike a factor is common, as large as it can be;
// where they part each side has its own until they meet again. None for arrays without elements.
std::vector<ReshapeFactor> reshape_factors(const std::vector<int64_t>& from, const std::vector<int64_t>& to);

}  // namespace shardscope::inline partitioner
