// SPDX-License-Identifier: Apache-2.0
// What an all-reduce or a reduce-scatter adds up, as stretches that are summed apart.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/numerics/functions/elementwise.h"
#include "engine/numerics/plan/sum_order.h"
#include "engine/numerics/rules/execution.h"

namespace shardscope::inline numerics {

// Where the elements of a result lie in each operand: rows of `row` elements, `stride` apart.
struct SumRegion {
  int64_t start = 0, row = 1, stride = 1;
};

// Elements [first, first + count) of a result.
struct SumStretch {
  int32_t root = 0;
  int64_t first = 0, count = 0;
};

// A result and the devices that have it; the others of the group have none.
struct CollectiveSum {
  std::vector<DeviceId> group, owners;
  std::shared_ptr<const SumOrder> order;
  SumRegion region;
  std::vector<SumStretch> stretches;
};

// The results of the step's collective in the order of its schedule (see Execution::schedules).
std::vector<CollectiveSum> collective_sums(Step& step);

// The elementwise operation that the step's collective joins two arrays by. Errors: none that we have.
Result<ElementwiseKernel> collective_kernel(Step& step);

// Where part p of `of` parts begins: the first ones are larger by one element where they differ.
int64_t begin_of(int64_t elements, int64_t of, int64_t p);

// Plain operands by device.
struct SumOperands {
  const std::vector<const std::byte*>& memory;
  ElementType type;
};
// Adds up a stretch of them in `target`, where its first element goes. `each` is called
// after each addition with the sum of elements [first, first + count) of the result; it may be empty.
using EachSum = std::function<void(const std::byte* sum, int64_t first, int64_t count)>;
void add_up(const CollectiveSum& sum, const SumStretch& stretch, const SumOperands& operands,
            ElementwiseKernel::Two kernel, std::byte* target, const EachSum& each);

// Calls body(place in the operand, place in the result, count) for what neighbours in both of the result's
// elements [first, first + count).
template <class Body>
void for_each_row(const SumRegion& region, int64_t first, int64_t count, const Body& body) {
  for (int64_t at = first; at < first + count;) {
    const int64_t row = at / region.row, in_row = at % region.row;
    const int64_t run = std::min(region.row - in_row, first + count - at);
    body(region.start + row * region.stride + in_row, at, run);
    at += run;
  }
}

}  // namespace shardscope::inline numerics
