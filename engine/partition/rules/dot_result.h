// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/partition/rules/dot_axes.h"

namespace shardscope::inline partitioner {

// Where one dimension of a product's result is to lie along the axes that it is summed over, and the operand
// that has it is cut by others: how the product is made so that the result, which is no larger, is resharded
// and not the operand. As Shardy's insert-explicit-reshards does it for XLA. None: this is no such product.
std::optional<Tiling> tiling_before_reshard(const DotAxes& axes, const Sharded& lhs, const Sharded& rhs,
                                            const Shape& result, const Tiling& out);

}  // namespace shardscope::inline partitioner
