// SPDX-License-Identifier: Apache-2.0
// Which dimension of an operand each dimension of the result is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline partitioner {

using DimMap = std::vector<int64_t>;  // by result dimension: the operand's that it is, -1: none

// Of the instruction and its operand k; none: nothing is known of that operand.
using DimMapOf = std::optional<DimMap>(const Computation& c, const Instruction& i, size_t k);
namespace dim_map {
DimMapOf elementwise, same, first_operand, first_two_operands, transposed, broadcast, concatenated, turned,
    reduced, gathered, scattered, batched, product, convolution, picked, transformed, custom_call;
}  // namespace dim_map

}  // namespace shardscope::inline partitioner
