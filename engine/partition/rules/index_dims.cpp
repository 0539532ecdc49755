// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/index_dims.h"

#include <algorithm>

namespace shardscope::inline partitioner {

bool holds(const IntList& dims, int64_t d) {
  return std::ranges::count(dims, d) > 0;
}

IntList without(size_t rank, const IntList& dims) {
  IntList out;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d)
    if (!holds(dims, d)) out.push_back(d);
  return out;
}

IntList paired(size_t rank, const IntList& to, const IntList& from) {
  IntList map(rank, -1);
  for (size_t i = 0; i < to.size(); ++i) map[static_cast<size_t>(to[i])] = from[i];
  return map;
}

IntList inverse(const IntList& map, size_t rank) {
  IntList out(rank, -1);
  for (size_t d = 0; d < map.size(); ++d)
    if (map[d] >= 0) out[static_cast<size_t>(map[d])] = static_cast<int64_t>(d);
  return out;
}

std::optional<Tiling> side_by_side(const Tiling& a, const Tiling& b) {
  IntList of_a(a.rank() + b.rank(), -1), of_b = of_a;
  for (size_t d = 0; d < a.rank(); ++d) of_a[d] = static_cast<int64_t>(d);
  for (size_t d = 0; d < b.rank(); ++d) of_b[a.rank() + d] = static_cast<int64_t>(d);
  return merged_tilings(a.mapped(of_a), b.mapped(of_b));
}

}  // namespace shardscope::inline partitioner
