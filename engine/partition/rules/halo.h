// SPDX-License-Identifier: Apache-2.0
// Rows that a device needs beside its own: from whoever has them.
#pragma once

#include <vector>

#include "engine/partition/reshard/row_exchange.h"
#include "engine/partition/rules/visit.h"

namespace shardscope::inline partitioner {

// Along a dimension the rows [starts[place], starts[place] + size) of the array for each place of a tiling.
struct RowWindow {
  size_t dim = 0;
  std::vector<int64_t> starts;
  int64_t size = 0;
};

// All places of a value's tiling take part.
RowExchange exchange_for(const SpmdWriter& writer, const Sharded& value, const RowWindow& window);

// From the neighbours, by each from whoever has them (row_exchange.h), or not at all: XLA's partitioner
// gathers the dimension, since rows lie too far off.
enum class RowWay { neighbours, compact, gather };
RowWay way_of(const RowExchange& exchange, SpmdDialect dialect);

// size() rows on every device, anything where a row is none of the array. Those that are too far to be
// fetched so come from neighbours.
Sharded exchanged_rows(const SpmdContext& cx, const SpmdScope& scope, const Sharded& value,
                       const RowExchange& exchange);
// The window's rows of a value that every device has whole along it, `filler` where there are none.
Sharded own_rows(const SpmdContext& cx, const SpmdScope& scope, const Sharded& value, const Tiling& at,
                 const RowWindow& window, InstructionId filler);
// Along the window the value of its rows where they are rows of the array, `filler` where they are not.
InstructionId only_rows_of_array(const SpmdContext& cx, const SpmdScope& scope, const Sharded& value,
                                 const RowWindow& window, InstructionId filler);

}  // namespace shardscope::inline partitioner
