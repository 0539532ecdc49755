// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/whole_dims.h"

#include <algorithm>

#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {

Tiling whole_along(Tiling at, const std::vector<int64_t>& base, const std::vector<int64_t>& dims) {
  for (const int64_t dim : dims) {
    const auto along = static_cast<size_t>(dim);
    const int64_t ratio = at.counts[along];
    for (size_t d = 0; d < at.rank() && at.counts[along] > 1; ++d)
      if (std::ranges::count(dims, static_cast<int64_t>(d)) == 0 && base[d] % (at.counts[d] * ratio) == 0)
        at = cut_moved(at, along, d, ratio);
  }
  return at.merged(dims);
}

}  // namespace shardscope::inline partitioner
