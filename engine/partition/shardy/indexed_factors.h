// SPDX-License-Identifier: Apache-2.0
// Factors of gather and scatter.
#pragma once

#include <vector>

#include "engine/partition/shardy/factor_rule.h"

namespace shardscope::inline partitioner {

// One side of an indexed operation: the array that is looked into or written to, and the slices.
struct Indexed {
  const Shape *whole = nullptr, *indices = nullptr, *slices = nullptr;
  std::vector<int64_t> window_dims, dropped, whole_batch, index_batch;  // of slices, whole, whole, indices
  int64_t index_vector_dim = 0;
  bool writes = false, combines = false;  // a scatter; what meets at a place is combined
};

// A factor of an indexed operation: the dimension of whole, of indices, of slices; -1 where there is none.
struct IndexedFactor {
  int64_t whole = -1, index = -1, slice = -1;
  int64_t size = 1;
  FactorRule::Kind kind = FactorRule::Kind::pass_through;
  bool blocked = false;
};

std::vector<IndexedFactor> indexed_factors(const Indexed& indexed);

}  // namespace shardscope::inline partitioner
