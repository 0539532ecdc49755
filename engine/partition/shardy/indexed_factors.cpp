// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/indexed_factors.h"

#include <algorithm>
#include <iterator>

namespace shardscope::inline partitioner {
namespace {

using Kind = FactorRule::Kind;
constexpr int64_t kNowhere = -1;

// Of a dimension that slices take a part of.
std::vector<IndexedFactor> partly_taken(const Indexed& x, int64_t whole, int64_t slice) {
  const int64_t size = x.whole->dims[static_cast<size_t>(whole)],
                taken = x.slices->dims[static_cast<size_t>(slice)];
  // One element is found by the device that has it, and added up.
  if (x.writes || taken == 1)
    return {{whole, kNowhere, kNowhere, size, x.writes ? Kind::need_replication : Kind::reduction},
            {kNowhere, kNowhere, slice, taken, Kind::need_replication}};
  return {{whole, kNowhere, slice, size, Kind::need_replication, true}};
}

}  // namespace

std::vector<IndexedFactor> indexed_factors(const Indexed& x) {
  const auto in = [](const std::vector<int64_t>& dims, int64_t d) { return std::ranges::count(dims, d) > 0; };
  std::vector<IndexedFactor> out;
  int64_t whole = 0, batch = 0;
  for (size_t s = 0; s < x.slices->rank(); ++s) {
    const auto at = static_cast<int64_t>(s);
    if (in(x.window_dims, at)) {
      while (in(x.dropped, whole) || in(x.whole_batch, whole)) ++whole;
      if (x.whole->dims[static_cast<size_t>(whole)] == x.slices->dims[s])
        out.push_back({whole, kNowhere, at, x.slices->dims[s]});
      else
        std::ranges::copy(partly_taken(x, whole, at), std::back_inserter(out));
      ++whole;
      continue;
    }
    const int64_t index = batch < x.index_vector_dim ? batch : batch + 1;
    const auto place = std::ranges::find(x.index_batch, index);
    const bool paired = place != x.index_batch.end();
    const int64_t of_whole =
        paired ? x.whole_batch[static_cast<size_t>(place - x.index_batch.begin())] : kNowhere;
    const Kind kind = paired || !x.writes ? Kind::pass_through
                      : x.combines        ? Kind::reduction
                                          : Kind::need_replication;
    out.push_back({of_whole, index, at, x.slices->dims[s], kind});
    ++batch;
  }
  for (const int64_t d : x.dropped) {
    const int64_t size = x.whole->dims[static_cast<size_t>(d)];
    const Kind kind = x.writes ? Kind::pass_through : size == 1 ? Kind::need_replication : Kind::reduction;
    out.push_back({d, kNowhere, kNowhere, size, kind});
  }
  if (x.index_vector_dim < static_cast<int64_t>(x.indices->rank())) {
    const int64_t size = x.indices->dims[static_cast<size_t>(x.index_vector_dim)];
    out.push_back({kNowhere, x.index_vector_dim, kNowhere, size, Kind::need_replication});
  }
  return out;
}

}  // namespace shardscope::inline partitioner
