// SPDX-License-Identifier: Apache-2.0
// The order of rows by a comparison that is a computation of scalars.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/numerics/rules/execution.h"

namespace shardscope::inline numerics {

// Rows of `n` elements of several arrays on all devices.
struct SortedRows {
  ArrayViews arrays;  // [array][device]: plain, [rows, n]
  int64_t rows = 0, n = 0;
};

// By device and row, position after position: the place in the row of the element that comes there. Elements
// that neither come before the other keep their order. A comparison that is no order (NaN among numbers
// that are compared by LT) gives some order, the same on every machine.
Result<std::vector<std::vector<int64_t>>> merge_order(Step& step, const SortedRows& sorted);

}  // namespace shardscope::inline numerics
