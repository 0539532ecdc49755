// SPDX-License-Identifier: Apache-2.0
// Dimensions that an array and its indices share: a window that is named at some place of the indices lies at
// the same place of the array, so that both may be cut alike and every device finds its own windows.
#pragma once

#include "engine/partition/rules/index_dims.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline partitioner {

struct IndexPairs {
  IntList array, indices;  // batching dimensions, and those that are counted
  IntList counted;         // of the array: an entry of the index vectors counts along it (an iota)
};

// What gather and scatter have in common.
struct IndexedArrays {
  const Computation& computation;
  InstructionId array, indices;
  const IntList& places;  // by entry of an index vector: the array's dimension
  const IntList& single;  // of the array: dimensions of which a window has one place
  const IntList& array_batch;
  const IntList& indices_batch;
  int64_t vector_dim = 0;
};
IndexPairs index_pairs(const IndexedArrays& x);

// Both cut alike along the pairs, as the one that is cut more; their other cuts stay where they can.
struct PairedTilings {
  Tiling array, indices;
};
PairedTilings cut_alike(const IndexPairs& pairs, PairedTilings as);

}  // namespace shardscope::inline partitioner
