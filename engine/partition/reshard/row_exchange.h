// SPDX-License-Identifier: Apache-2.0
// Rows that tiles along a dimension have for each other.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/partition/reshard/spmd_writer.h"

namespace shardscope::inline partitioner {

// Places along a dimension, not all of them maybe, that take part count from 0 and have `tile` rows each, one
// after the other: number k has [k * tile, (k + 1) * tile) and needs [starts[k], limits[k]), where rows below
// 0 or from `rows` on are none of the array.
struct RowExchange {
  size_t dim = 0;
  int64_t rows = 0;
  int64_t tile = 0, first = 0;  // of what a device has those from `first` on take part
  std::vector<int64_t> places;  // along the dimension, ascending
  std::vector<int64_t> starts, limits;
  bool may_be_far = true;  // XLA's partitioner takes from neighbours alone where windows begin elsewhere
  int64_t count() const { return static_cast<int64_t>(places.size()); }
  int64_t size() const;  // of the longest
  // What `values` say of the places that take part, 0 of the others.
  std::vector<int64_t> by_device(const Tiling& tiling, const std::vector<int64_t>& values) const;
};

// size() rows on every device, undefined where a row is none of the array: each takes what it needs of
// whoever has it, and no more, where neighbours would hand on what nobody wants. As XLA's partitioner does
// (ExchangeHaloCompact of xla/service/spmd/spmd_partitioner_util.cc), in its order of permutes.
InstructionId compact_rows(SpmdWriter& writer, const SpmdScope& scope, const Sharded& value,
                           const RowExchange& exchange);

}  // namespace shardscope::inline partitioner
