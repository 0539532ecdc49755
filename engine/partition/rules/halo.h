// SPDX-License-Identifier: Apache-2.0
// Rows that a device needs beside its own: from whoever has them.
#pragma once

#include <vector>

#include "engine/partition/rules/visit.h"

namespace shardscope::inline partitioner {

// Along a dimension the rows [starts[device], starts[device] + size) of the padded array for each device.
struct RowWindow {
  size_t dim = 0;
  std::vector<int64_t> starts;
  int64_t size = 0;
  // How many of them matter on each device, from the first on: behind the end of a result none do. Empty:
  // all.
  std::vector<int64_t> read{};
};

// The window's rows of a value, zeros (or padding) where a row is none of the array.
Sharded with_rows(const SpmdContext& cx, const SpmdScope& scope, const Sharded& value,
                  const RowWindow& window);
// The value of those rows where they are rows of the array, `filler` where they are not.
InstructionId only_rows_of_array(const SpmdContext& cx, const SpmdScope& scope, const Sharded& value,
                                 const RowWindow& window, InstructionId filler);

}  // namespace shardscope::inline partitioner
